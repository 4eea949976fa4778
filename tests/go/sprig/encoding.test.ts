import { describe } from "bun:test";
import { table } from "./_host_table.ts";

const DATA = { m: { b: [1, null], a: "<" }, n: null, i: 3 };

describe("b64enc and b64dec are Go's StdEncoding", () => {
  table([
    [`{{ b64enc "héllo 世界" }}`, "aMOpbGxvIOS4lueVjA=="],
    [`{{ b64enc "" }}|`, "|"],
    [`{{ b64dec "aMOpbGxv" }}`, "héllo"],
    [`{{ b64dec "YW\\r\\nI=\\n" }}`, "ab"],
    [`{{ b64dec "YR==" }}`, "a"],
    [`{{ b64dec "/w==" | b64enc }}`, "/w=="],
    [`{{ b64dec "/w==" | printf "%q" }}`, `"\\xff"`],
    [`{{ b64dec "YQ" }}`, "illegal base64 data at input byte 0"],
    [`{{ b64dec "YWJj=" }}`, "illegal base64 data at input byte 4"],
    [`{{ b64dec "YQ=x" }}`, "illegal base64 data at input byte 2"],
    [`{{ b64dec "YQ==x" }}`, "illegal base64 data at input byte 4"],
    [`{{ b64dec "Y-Q=" }}`, "illegal base64 data at input byte 1"],
    [`{{ b64enc .n }}`, "ERROR wrong type for value; expected string; got interface {}"],
  ], { data: DATA });
});

describe("b32enc and b32dec are Go's StdEncoding", () => {
  table([
    [`{{ b32enc "foobar" }} {{ b32enc "a" }} {{ b32enc "" }}|`, "MZXW6YTBOI====== ME====== |"],
    [`{{ b32dec "MZXW6YTBOI======" }} {{ b32dec "NB\\nSWY3DP" }}`, "foobar hello"],
    [`{{ b32dec "nbswy3dp" }}`, "illegal base32 data at input byte 0"],
    [`{{ b32dec "ME=====" }}`, "illegal base32 data at input byte 7"],
    [`{{ b32dec "MEA=====" }}`, "illegal base32 data at input byte 3"],
    [`{{ b32dec "ME" }}`, "illegal base32 data at input byte 0"],
    [`{{ b32dec "ME==A===" }}`, "illegal base32 data at input byte 3"],
  ]);
});

describe("JSON functions ignore errors, return them, or panic", () => {
  table([
    [
      `{{ toJson .m }} {{ mustToJson .m }}`,
      `{"a":"\\u003c","b":[1,null]} {"a":"\\u003c","b":[1,null]}`,
    ],
    [`{{ toRawJson .m }} {{ mustToRawJson .m }}`, `{"a":"<","b":[1,null]} {"a":"<","b":[1,null]}`],
    [`{{ toPrettyJson .m }}`, `{\n  "a": "\\u003c",\n  "b": [\n    1,\n    null\n  ]\n}`],
    [`{{ mustToPrettyJson (list) }}`, "[]"],
    [`{{ toJson .missing }} {{ toJson nil }}`, "null null"],
    [`{{ toJson (list 1 1.0 (int64 2) "x") }}`, `[1,1,2,"x"]`],
    [`{{ toJson (splitList "," "a,b") }} {{ toJson (rest (list)) }}`, `["a","b"] null`],
    [`{{ toJson (float64 "inf") }}|{{ toPrettyJson (float64 "nan") }}|`, "||"],
    [
      `{{ toRawJson (float64 "inf") }}`,
      "ERROR error calling toRawJson: json: unsupported value: +Inf",
    ],
    [
      `{{ mustToJson (float64 "inf") }}`,
      "ERROR error calling mustToJson: json: unsupported value: +Inf",
    ],
    [`{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}|`, "|"],
    [`{{ (fromJson "{\\"a\\":{\\"b\\":1}}").a.b }} {{ fromJson "[1,1e999]" }}`, "1 [1 <nil>]"],
    [`{{ fromJson "{x" }} {{ fromJson "" }}`, "<no value> <no value>"],
    [`{{ mustFromJson "" }}`, "ERROR error calling mustFromJson: unexpected end of JSON input"],
  ], { data: DATA });
});
