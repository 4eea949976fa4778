/** Damages reviews with bytes, numbers and names that no API server sends. */
import type { Random } from "./_random.ts";

const encoder = new TextEncoder();

const TOKENS = [
  ...["null", "true", "{}", "[]", '""', "0", "-1", "1e999", "1.5", '"\\ud800"', '"\\u0000"', '"x"'],
  ...["{", "}", "[", "]", ",", ":", '"', "\\", "\n", "---\n", "\ufeff", "\u0000", "{{", "}}"],
  ...[
    '"__proto__":',
    '"metadata":',
    '"spec":',
    '"containers":',
    '"annotations":',
    '"$patch":"delete",',
  ],
  ...["[".repeat(3000), '{"a":'.repeat(500), "9".repeat(400), "x".repeat(20_000)],
].map((text) => encoder.encode(text));

function spliced(body: Uint8Array, at: number, { remove, insert }: {
  remove: number;
  insert: Uint8Array;
}): Uint8Array {
  const out = new Uint8Array(at + insert.length + Math.max(0, body.length - at - remove));
  out.set(body.subarray(0, at));
  out.set(insert, at);
  out.set(body.subarray(Math.min(body.length, at + remove)), at + insert.length);
  return out;
}

export function damaged(body: Uint8Array, random: Random): Uint8Array {
  for (let times = random.pick([1, 1, 1, 2, 3, 8]); times > 0; times--) {
    const at = random.int(0, body.length);
    switch (random.int(0, 6)) {
      case 0: {
        body = body.slice();
        body[at] = random.int(0, 255);
        break;
      }
      case 1:
        body = spliced(body, at, { remove: random.int(1, 20), insert: new Uint8Array() });
        break;
      case 2:
        body = spliced(body, at, { remove: 0, insert: random.pick(TOKENS) });
        break;
      case 3: {
        const from = random.int(0, body.length);
        const copy = body.slice(from, from + random.int(1, 60));
        body = spliced(body, at, { remove: 0, insert: copy });
        break;
      }
      case 4:
        body = random.chance(0.2) ? body.slice(0, at) : body;
        break;
      default:
        body = withValue(body, random);
    }
  }
  return body;
}

/** Puts something in the place of a whole value of the JSON, so that it stays JSON. */
function withValue(body: Uint8Array, random: Random): Uint8Array {
  const text = new TextDecoder().decode(body);
  const values = [
    ...text.matchAll(/(?<=[:[,])(?:"(?:[^"\\]|\\.)*"|true|false|null|-?[0-9.]+|\{\}|\[\])/g),
  ];
  if (values.length === 0) return body;
  const { index, 0: value } = random.pick(values);
  const other = random.pick([
    ...["null", "true", "{}", "[]", '""', "0", "-1", "1e999", "1.5", '"\\ud800"', '"\\u0000"'],
    ...['{"a":[]}', '["a"]', "99999999999999999999", '"*"', '{"__proto__":{"x":1}}'],
  ]);
  return encoder.encode(text.slice(0, index) + other + text.slice(index + value.length));
}
