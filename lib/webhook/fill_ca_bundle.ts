/**
 * Fills a caBundle into manifests: in place of `${CA_BUNDLE}`, and in every webhook of every
 * MutatingWebhookConfiguration. Everything else stays the same, byte for byte: comments, order, other
 * documents, and text that is not YAML.
 *
 * The text is edited line by line and then parsed. It must equal the original document with the caBundle
 * in it; otherwise nothing is changed.
 */

import { encodeBase64 } from "../data/base64.ts";
import { equalJson } from "../data/json.ts";
import { parseYaml } from "../yaml/mod.ts";
import { WebhookError } from "./webhook_error.ts";

export interface FilledText {
  readonly text: string;
  readonly placeholders: number;
  readonly webhooks: number;
}

const PLACEHOLDER = "${CA_BUNDLE}";
const KIND = "MutatingWebhookConfiguration";

/** Returns the manifests with the caBundle filled in. Throws a {@link WebhookError}. */
export function fillCaBundle(text: string, authorities: string): FilledText {
  const bundle = encodeBase64(authorities);
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
      `Cannot fill in a caBundle: the input contains neither a ${KIND} nor ${PLACEHOLDER}`,
    );
  }
  return { text: filled, placeholders, webhooks };
}

/** Splits a text into documents, each with its `---` line. */
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
  // Other documents need not be valid YAML: they may be Helm templates.
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
    `Cannot fill in a caBundle in ${place}: write the clientConfig of each webhook in block style, ` +
      `or write ${PLACEHOLDER} as the value of caBundle`,
  );
}

/** Fills in the caBundle below every `clientConfig:` in block style. */
function fillLines(document: string, bundle: string): string {
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

/** Returns the column of the key if a line consists only of `clientConfig:`. */
function keyColumn(line: string): number | undefined {
  return /^((?:\s|- +)*)clientConfig:\s*(?:#.*)?$/.exec(line.trimEnd())?.[1].length;
}

/** Returns the lines of a block without those of one key. */
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

/** Returns the index of the first line after a block that is indented beyond a column. */
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
