import { describe } from "bun:test";
import { table } from "./_host_table.ts";

const U = "https://user:pa%20ss@host.example:8443/p/a%20th/x?q=1&r=a+b#frag";
const shown = "{{ range $k, $v := urlParse .u }}{{ if $v }}{{ $k }}={{ $v }} {{ end }}{{ end }}";

describe("urlParse returns the parts of a URL", () => {
  const rows: [url: string, want: string][] = [
    [
      U,
      "fragment=frag host=host.example:8443 hostname=host.example path=/p/a th/x query=q=1&r=a+b scheme=https userinfo=user:pa%20ss ",
    ],
    ["", ""],
    ["HTTP://Host/%C3%A9", "host=Host hostname=Host path=/é scheme=http "],
    ["http://[::1]:80/", "host=[::1]:80 hostname=::1 path=/ scheme=http "],
    ["http://[fe80::1%25en0]/", "host=[fe80::1%en0] hostname=fe80::1%en0 path=/ scheme=http "],
    ["mailto:a@b?c", "opaque=a@b query=c scheme=mailto "],
    ["//h/p", "host=h hostname=h path=/p "],
    ["a/b:c", "path=a/b:c "],
    ["*", "path=* "],
    ["db://a:1,b:2/x", "host=a:1,b:2 hostname=a:1,b path=/x scheme=db "],
    ["http://u:@h", "host=h hostname=h scheme=http userinfo=u: "],
  ];
  for (const [u, want] of rows) describe(u, () => table([[shown, want]], { data: { u } }));
});

describe("urlParse fails with Go's errors", () => {
  const rows: [url: string, want: string][] = [
    [":x", "missing protocol scheme"],
    ["http://a b/", 'invalid character " " in host name'],
    ["http://h/%zz", 'invalid URL escape "%zz"'],
    ["http://h:x/", 'invalid port ":x" after host'],
    ["http://a:1:2/", 'invalid port ":1:2" after host'],
    ["http://h%41/", 'invalid URL escape "%41"'],
    ["http://é é@h/", "net/url: invalid userinfo"],
    ["http://[::1/", "missing ']' in host"],
    ["http://[1.2.3.4]/", "invalid IP-literal"],
    ["http://[1::2::3]/", 'invalid host: ParseAddr("1::2::3"): multiple :: in address (at ":3")'],
    ["http://[x]/", 'invalid host: ParseAddr("x"): unable to parse IP'],
    ["a:b/\u007f", "net/url: invalid control character in URL"],
    ["1a:b", "first path segment in URL cannot contain colon"],
  ];
  for (const [u, want] of rows) {
    const text = `unable to parse url: parse ${
      JSON.stringify(u).replace("\u007f", "\\x7f")
    }: ${want}`;
    describe(u, () => table([[`{{ urlParse .u }}`, `ERROR ${text}`]], { data: { u } }));
  }
});

describe("urlJoin formats a URL", () => {
  table([
    ["{{ urlJoin (urlParse .u) }}", U],
    [
      `{{ urlJoin (dict "host" "h") }} {{ urlJoin (dict "scheme" "http" "host" "h" "path" "p q") }}`,
      "//h http://h/p%20q",
    ],
    [
      `{{ urlJoin (dict "path" "a:b") }} {{ urlJoin (dict "path" "*") }} {{ urlJoin (dict) }}|`,
      "./a:b * |",
    ],
    [`{{ urlJoin (dict "scheme" "mailto" "opaque" "a@b") }}`, "mailto:a@b"],
    [`{{ urlJoin (dict "userinfo" "u:p" "host" "h" "fragment" "é") }}`, "//u:p@h#%C3%A9"],
    [`{{ urlJoin (dict "userinfo" "a/b" "host" "h") }}`, "//h"],
    [`{{ urlJoin nil }}|`, "|"],
    [
      `{{ urlJoin (dict "host" 1) }}`,
      "ERROR unable to parse host key, must be of type string, but int found",
    ],
    [`{{ urlJoin (dict "host" nil) }}`, "ERROR nil pointer dereference"],
    [
      `{{ urlJoin (dict "userinfo" "é") }}`,
      `ERROR unable to parse userinfo in dict: parse "proto://é@host": net/url: invalid userinfo`,
    ],
  ], { data: { u: U } });
});
