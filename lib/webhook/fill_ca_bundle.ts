/**
 * Puts a caBundle into a text of manifests: where it says `${CA_BUNDLE}`, and into every webhook of the
 * MutatingWebhookConfigurations in it. All else stays as it was, byte for byte: comments, order, other
 * documents, and what is no YAML at all.
 *
 * The text is edited line by line, and then read back: what came of it must be the document that was
 * there with the bundle in it, or nothing comes of it.
 */

import { equalJson } from "../data/json.ts";
import { parseYaml } from "../data/yaml.ts";
import { WebhookError } from "./webhook_error.ts";

export interface FilledText {
  readonly text: string;
  readonly placeholders: number;
  readonly webhooks: number;
}

const PLACEHOLDER = "${CA_BUNDLE}";
const KIND = "MutatingWebhookConfiguration";

/** Throws a {@link WebhookError}. */
export function fillCaBundle(text: string, authorities: string): FilledText {
  const bundle = new TextEncoder().encode(authorities).toBase64();
  const parts = text.split(PLACEHOLDER);
  let webhooks = 0;
  const filled = documentsOf(parts.join(bundle)).map((document, index) => {
    const { text, count } = fillDocument(document, { bundle, place: `document ${index + 1}` });
    webhooks += count;
    return text;
  }).join("");
  const placeholders = parts.length - 1;
  if (placeholders === 0 && webhooks === 0) {
    throw new WebhookError(
      "nothing_to_fill",
      `Cannot fill in a caBundle: there is no ${KIND} and no ${PLACEHOLDER} in the text`,
    );
  }
  return { text: filled, placeholders, webhooks };
}

/** Each with the line that begins it. */
function documentsOf(text: string): string[] {
  return text.split(/^(?=---(?:\s|$))/m);
}

interface Webhook {
  readonly clientConfig?: object;
}

function fillDocument(
  document: string,
  { bundle, place }: { readonly bundle: string; readonly place: string },
): { text: string; count: number } {
  const asIs = { text: document, count: 0 };
  // Others need not even be YAML: what a chart's template makes of itself is not known yet.
  if (!document.includes(KIND)) return asIs;
  const read = (text: string) => parseYaml(text.replace(/^---(?=\s|$)/, ""), { name: place });
  const before = read(document) as { kind?: unknown; webhooks?: readonly Webhook[] } | null;
  if (before?.kind !== KIND || !Array.isArray(before.webhooks)) return asIs;
  const wanted = {
    ...before,
    webhooks: before.webhooks.map((webhook: Webhook) => ({
      ...webhook,
      clientConfig: { ...webhook.clientConfig, caBundle: bundle },
    })),
  };
  const text = fillLines(document, bundle);
  if (equalJson(read(text), wanted)) return { text, count: before.webhooks.length };
  throw new WebhookError(
    "unfillable",
    `Cannot fill in a caBundle in ${place}: the clientConfig of each webhook must stand on lines ` +
      `of its own; or write ${PLACEHOLDER} where the caBundle belongs`,
  );
}

/** Every `clientConfig:` that is followed by lines of its own. */
function fillLines(document: string, bundle: string): string {
  // Ends of lines stay with their lines.
  const lines = document.split(/(?<=\n)/);
  const out: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    out.push(lines[at]);
    const column = keyColumn(lines[at]);
    if (column === undefined) continue;
    const end = blockEnd(lines, at + 1, column);
    const first = lines.slice(at + 1, end).find(isContent);
    if (first === undefined) continue;
    const inner = indentOf(first);
    const ending = /\r?\n$/.exec(lines[at])?.[0] ?? "\n";
    out.push(`${" ".repeat(inner)}caBundle: ${bundle}${ending}`);
    out.push(...without(lines.slice(at + 1, end), { key: "caBundle", column: inner }));
    at = end - 1;
  }
  return out.join("");
}

/** Where the key stands on a line that is nothing but `clientConfig:`. */
function keyColumn(line: string): number | undefined {
  return /^((?:\s|- +)*)clientConfig:\s*(?:#.*)?$/.exec(line.trimEnd())?.[1].length;
}

/** The lines of a block without those of one of its keys. */
function without(
  lines: readonly string[],
  { key, column }: { readonly key: string; readonly column: number },
): string[] {
  const at = lines.findIndex((line) =>
    isContent(line) && indentOf(line) === column && line.slice(column).startsWith(`${key}:`)
  );
  if (at < 0) return [...lines];
  const end = blockEnd(lines, at + 1, column);
  return [...lines.slice(0, at), ...lines.slice(end)];
}

/** The first line after a block whose lines stand to the right of a column. */
function blockEnd(lines: readonly string[], from: number, column: number): number {
  let end = from;
  for (let at = from; at < lines.length; at++) {
    if (!isContent(lines[at])) continue;
    if (indentOf(lines[at]) <= column) break;
    end = at + 1;
  }
  return end;
}

function isContent(line: string): boolean {
  return !/^\s*(?:#.*)?$/.test(line.trimEnd());
}

function indentOf(line: string): number {
  return /^ */.exec(line)![0].length;
}
