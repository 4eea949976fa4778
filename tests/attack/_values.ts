/** Values that try to escape from their scalar, and fragments for random values. */
import { ODD_VALUES } from "../_odd_values.ts";

/** Every character that some YAML reader treats as a line break. */
export const BREAKS = ["\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\v", "\f"] as const;

/** YAML that an attacker may want to add to a pod. */
const PAYLOADS = [
  "- name: evil\n  image: evil\n  securityContext: {privileged: true}",
  "hostPID: true",
  "securityContext:\n  privileged: true",
  "image: evil",
  "- {name: EVIL, value: evil}",
] as const;

function indented(text: string, depth: number): string {
  return text.replaceAll(/^/gm, " ".repeat(depth));
}

/** Payloads after each kind of line break, indented like the lists and maps of templates. */
const ESCAPES = PAYLOADS.flatMap((payload) =>
  BREAKS.flatMap((lineBreak) =>
    [0, 2, 4, 6, 8].map((depth) =>
      `x${lineBreak}${indented(payload, depth).replaceAll("\n", lineBreak)}`
    )
  )
);

/** Ways out of quotes, flow lists and block scalars on one line. */
const CLOSERS = [
  '", name: evil, image: "evil',
  '"}, {name: evil, image: "evil',
  '"], hostPID: true, x: ["',
  "', name: evil, image: 'evil",
  "'}, {name: evil, image: 'evil",
  "x}, {name: evil",
  "x, name: evil",
  "x], hostPID: [true",
  'x" #',
  "x' #",
  'x"\nhostPID: true #',
  "x'\nhostPID: true #",
  "x: y",
  "x: {privileged: true}",
  "x #",
  "x\t#y",
  "&a x",
  "*a",
  "!!map {}",
  "!evil x",
  "|",
  ">",
  "|2",
  "x\n---\nhostPID: true",
  "x\n...\n",
  "? x\n: y",
  "<<: {hostPID: true}",
  "$patch",
  "$retainKeys",
  "$deleteFromPrimitiveList/args",
  "$setElementOrder/env",
  "__proto__",
  "constructor",
  "{{ .Values }}",
  "[[ .Values ]]",
  "{{`x`}}",
  "\0",
  "x\0y",
  "\ud800",
  "\udc00x",
  "\ufeffx",
  "\ufffe",
  "\ue000",
  "\ue000\ue001",
  "x".repeat(5000),
  '"'.repeat(200),
  "\n".repeat(200),
  "[".repeat(200),
  "- ".repeat(100),
] as const;

/** YAML's own escapes, which a reader of JSON may decode a second time. */
const ENCODED = [
  "\\n",
  "\\N",
  "\\L",
  "\\P",
  "\\x0a",
  "\\u000a",
  "\\u0085",
  "\\U0000000a",
  "\\0",
  "\\e",
  '\\"',
].flatMap((escape) => [
  `x${escape}y`,
  `x${escape}  - name: evil${escape}    image: evil${escape}    securityContext: {privileged: true}`,
]);

export const HOSTILE_VALUES: readonly string[] = [
  ...new Set([...ODD_VALUES, ...ESCAPES, ...CLOSERS, ...ENCODED]),
];

/** Fragments of random values. */
export const FRAGMENTS: readonly string[] = [
  ...BREAKS,
  ...[" ", "  ", "    ", "      ", "\t", '"', "'", "\\", "\\\\", "`", ",", ":", ": ", "#", " #"],
  ...["{", "}", "[", "]", "- ", "? ", "&a ", "*a", "!", "!!str ", "|", "|-", ">", "%", "@", "<<: "],
  ...["---", "...", "{{", "}}", "[[", "]]", "$", "null", "true", "0", "1e3", "~", "\0", "\ufeff"],
  ...["\\n", "\\N", "\\x0a", "\\u0085", "\u00a0", "\ud800", "\u{1f600}", "\x7f", "\x80", "\x1b"],
  ...[
    "x",
    "name: evil",
    "image: evil",
    "privileged: true",
    "hostPID: true",
    "a",
    "value",
    "éclair",
    "$patch",
    "$retainKeys",
    "$deleteFromPrimitiveList/args",
    "$setElementOrder/containers",
  ],
];

/**
 * Values that are what they seem. Templates may take another branch for each, so what they give is what a pod may have;
 * of each kind there are two, which shows where the value itself ends up.
 */
export const BENIGN_VALUES: readonly string[] = [
  ...["fine", "other", "", " ", "5", "7", "15000", "true", "false", "1.5s", "2s", "TPROXY", "NONE"],
  ...["REDIRECT", "a,b", "80,90", "*", "10.0.0.0/8", "10.0.0.0/8,192.168.0.0/16", "100m", "2Gi"],
  ...["{}", "[]", '{"a":"b"}', '["a"]', "a: b", "a=b", "sidecar", "gateway", "istio.io/dataplane"],
  ...["istio-system", "default/istio-cni", "debug", "all:debug", "1", "0", "-1", "null", "/x"],
];
