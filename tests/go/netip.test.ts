import { describe, expect, test } from "bun:test";
import { parseAddr, parsePrefix, splitHostPort } from "../../lib/go/netip.ts";
import { outcome } from "./_outcome.ts";

describe("parseAddr()", () => {
  const rows: [text: string, want: string | [hex: string, zone: string]][] = [
    ["1.2.3.4", ["01020304", ""]],
    ["255.0.10.0", ["ff000a00", ""]],
    ["::", ["00000000000000000000000000000000", ""]],
    ["::1", ["00000000000000000000000000000001", ""]],
    ["1::", ["00010000000000000000000000000000", ""]],
    ["1::2:3", ["00010000000000000000000000020003", ""]],
    ["1:2:3:4:5:6:7:8", ["00010002000300040005000600070008", ""]],
    ["1:2:3:4:5:6:7::", ["00010002000300040005000600070000", ""]],
    ["::ffff:1.2.3.4", ["00000000000000000000ffff01020304", ""]],
    ["1:2:3:4:5:6:1.2.3.4", ["00010002000300040005000601020304", ""]],
    ["fe80::1%eth0", ["fe800000000000000000000000000001", "eth0"]],
    ["", "unable to parse IP"],
    ["x", "unable to parse IP"],
    ["%", "missing IPv6 address"],
    ["::%", "zone must be a non-empty string"],
    ["1.2.3", "IPv4 address too short"],
    ["1.2.3.4.5", "IPv4 address too long"],
    ["256.1.1.1", "IPv4 field has value >255"],
    ["01.2.3.4", "IPv4 field has octet with leading zero"],
    ["1..2.3", 'IPv4 field must have at least one digit (at ".2.3")'],
    ["1.2.3.", 'IPv4 field must have at least one digit (at ".")'],
    ["1.2.3.x", 'unexpected character (at "x")'],
    ["12345::", 'each group must have 4 or less digits (at "12345::")'],
    [":1", 'each colon-separated field must have at least one digit (at ":1")'],
    [
      "1:2:1.2.3.4",
      'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")',
    ],
    [
      "::1:2:3:4:5:6:7:1.2.3.4",
      'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")',
    ],
    ["1g::", 'unexpected character, want colon (at "g::")'],
    ["1:", 'colon must be followed by more characters (at ":")'],
    ["1::2::3", 'multiple :: in address (at ":3")'],
    ["1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'],
    ["1:2:3:4:5:6:7", "address string too short"],
    ["1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"],
  ];
  for (const [text, want] of rows) {
    test(JSON.stringify(text), () => {
      const expected = typeof want === "string" ? `ParseAddr("${text}"): ${want}` : want;
      const parse = () => {
        const { bytes, zone } = parseAddr(text);
        return [bytes.toHex(), zone];
      };
      expect(outcome(parse)).toEqual(expected);
    });
  }
});

describe("parsePrefix()", () => {
  const rows: [text: string, want: number | string][] = [
    ["10.0.0.0/8", 8],
    ["0.0.0.0/0", 0],
    ["::/128", 128],
    ["a", "no '/'"],
    ["10.0.0.0/33", "prefix length out of range"],
    ["::/129", "prefix length out of range"],
    ["10.0.0.0/08", 'bad bits after slash: "08"'],
    ["10.0.0.0/+8", 'bad bits after slash: "+8"'],
    ["10.0.0.0/", 'bad bits after slash: ""'],
    ["10.0.0.0/99999999999999999999", 'bad bits after slash: "99999999999999999999"'],
    ["fe80::1%eth0/64", "IPv6 zones cannot be present in a prefix"],
    ["a/b", 'ParseAddr("a"): unable to parse IP'],
    ["1.2.3.4/5/6", 'ParseAddr("1.2.3.4/5"): unexpected character (at "/5")'],
  ];
  for (const [text, want] of rows) {
    test(JSON.stringify(text), () => {
      const expected = typeof want === "string" ? `netip.ParsePrefix("${text}"): ${want}` : want;
      expect(outcome(() => parsePrefix(text).bits)).toBe(expected);
    });
  }
});

describe("splitHostPort()", () => {
  const rows: [text: string, want: unknown][] = [
    ["a:80", { host: "a", port: "80" }],
    [":", { host: "", port: "" }],
    ["[::1]:x", { host: "::1", port: "x" }],
    ["", "missing port in address"],
    ["a", "address a: missing port in address"],
    ["::1", "address ::1: too many colons in address"],
    ["[::1", "address [::1: missing ']' in address"],
    ["[::1]", "address [::1]: missing port in address"],
    ["[::1]80:", "address [::1]80:: missing port in address"],
    ["[::1]:80:90", "address [::1]:80:90: too many colons in address"],
    ["a[:80", "address a[:80: unexpected '[' in address"],
    ["a]:80", "address a]:80: unexpected ']' in address"],
  ];
  for (const [text, want] of rows) {
    test(JSON.stringify(text), () => expect(outcome(() => splitHostPort(text))).toEqual(want));
  }
});
