/** Reads the path of a request target as Go's `ServeMux` does: unclean paths are redirected. */

export type TargetPath =
  | { readonly kind: "path"; readonly path: string; readonly first: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "bad" };

/**
 * A request target. `path` is decoded, so that an encoded slash separates segments like any other;
 * `first` is the first segment before decoding, so that `/inject%2Fx` is not below `/inject`.
 */
export function readTarget(target: string): TargetPath {
  const at = target.indexOf("?");
  const query = at < 0 ? "" : target.slice(at);
  const escaped = (at < 0 ? target : target.slice(0, at)).replace(/^https?:\/\/[^/]*/i, "") || "/";
  if (!escaped.startsWith("/") || /%(?![0-9a-f]{2})/i.test(escaped)) return { kind: "bad" };
  const clean = cleanPath(escaped);
  if (clean !== escaped) return { kind: "redirect", location: clean + query };
  return { kind: "path", path: decode(escaped), first: decode(escaped.split("/", 2)[1]) };
}

function cleanPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  const clean = `/${kept.join("/")}`;
  return path.endsWith("/") && clean !== "/" ? `${clean}/` : clean;
}

/** Decodes percent-encoded bytes, not characters; invalid UTF-8 becomes U+FFFD. */
function decode(escaped: string): string {
  if (!escaped.includes("%")) return escaped;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, hex] of escaped.matchAll(/%([0-9a-f]{2})|[^%]+/gi)) {
    if (hex === undefined) bytes.push(...encoder.encode(part));
    else bytes.push(parseInt(hex, 16));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
