import { describe } from "bun:test";
import { table } from "./_host_table.ts";

describe("semver accepts incomplete versions", () => {
  table([
    [
      `{{ semver "v1.2.3" }} {{ semver "1" }} {{ semver "1.2" }} {{ semver "01.002.3" }}`,
      "1.2.3 1.0.0 1.2.0 1.2.3",
    ],
    [`{{ semver "1.2.x" }}`, "ERROR error calling semver: invalid semantic version"],
    [`{{ semver "" }}`, "ERROR invalid semantic version"],
    [`{{ semver "1.2.3.4" }}`, "ERROR invalid semantic version"],
    [`{{ semver "1.2.3-01" }}`, "ERROR version segment starts with 0"],
    [
      `{{ semver "18446744073709551616.0.0" }}`,
      `ERROR error parsing version segment: strconv.ParseUint: parsing "18446744073709551616": value out of range`,
    ],
    [`{{ semver (repeat 257 "1") }}`, "ERROR version string is too long (max 256 bytes)"],
  ]);
});

describe("*semver.Version has methods", () => {
  const v = `{{ $v := semver "v1.2.3-beta.1+build5" }}`;
  table([
    [
      `${v}{{ $v.Major }} {{ $v.Minor }} {{ $v.Patch }} {{ $v.Prerelease }} {{ $v.Metadata }}`,
      "1 2 3 beta.1 build5",
    ],
    [
      `${v}{{ $v.Original }} {{ $v.String }} {{ $v }}`,
      "v1.2.3-beta.1+build5 1.2.3-beta.1+build5 1.2.3-beta.1+build5",
    ],
    [
      `${v}{{ typeOf $v }} {{ typeOf $v.Major }} {{ typeOf $v.IncMajor }}`,
      "*semver.Version uint64 semver.Version",
    ],
    [
      `${v}{{ $v.IncMajor }} {{ $v.IncMinor }} {{ $v.IncPatch }} {{ (semver "1.2.3").IncPatch }}`,
      "2.0.0 1.3.0 1.2.3 1.2.4",
    ],
    [`${v}{{ $v.SetPrerelease "rc" }} {{ $v.SetMetadata "" }}`, "1.2.3-rc+build5 1.2.3-beta.1"],
    [
      `${v}{{ $v.Compare (semver "1.2.3") }} {{ $v.LessThan (semver "2") }} {{ $v.GreaterThan (semver "2") }}`,
      "-1 true false",
    ],
    [
      `${v}{{ $v.Equal (semver "1.2.3-beta.1") }} {{ $v.Equal nil }} {{ semver "1" | $v.GreaterThanEqual }}`,
      "true false true",
    ],
    [
      `${v}{{ toJson $v }} {{ toJson $v.IncMajor }} {{ $v.MarshalText | len }}`,
      `"1.2.3-beta.1+build5" "2.0.0" 19`,
    ],
    [`${v}{{ $v.SetPrerelease "a..b" }}`, "ERROR invalid prerelease string"],
    [`${v}{{ $v.SetMetadata "é" }}`, "ERROR invalid metadata string"],
    [
      `{{ (semver "18446744073709551615").IncMajor }}`,
      "ERROR major version increment would overflow uint64",
    ],
    [
      `${v}{{ $v.IncMajor.Original }}`,
      "ERROR can't evaluate field Original in type semver.Version",
    ],
    [`${v}{{ $v.Compare nil }}`, "ERROR nil pointer dereference"],
  ]);
});

describe("semverCompare", () => {
  const rows: [constraint: string, version: string, want: string][] = [
    ["1.2.3", "v1.2.3", "true"],
    ["=1.2", "1.2.5", "true"],
    ["*", "1.2.3", "true"],
    ["*", "1.2.3-rc1", "false"],
    ["x-0", "1.2.3-rc1", "true"],
    ["!=1.2.x", "1.2.9", "false"],
    ["!=1", "2.0.0", "true"],
    [">1", "1.9.0", "false"],
    [">1.2", "1.3.0", "true"],
    ["<=1", "1.9.9", "true"],
    ["<=1.2", "1.3.0", "false"],
    ["=>1.2", "1.2.0", "true"],
    [">=1.0, <2.0", "1.5.0", "true"],
    [">=1.0 <2.0 || >3", "4.0.0", "true"],
    ["1.2 - 1.4", "1.4.9", "true"],
    ["1.2 - 1.4", "1.5.0", "false"],
    ["~1.2.3", "1.2.9", "true"],
    ["~1", "1.9.0", "true"],
    ["~0.0.0", "5.0.0", "true"],
    ["^0.2.3", "0.3.0", "false"],
    ["^0.0.3", "0.0.4", "false"],
    ["^1.2", "1.9.0", "true"],
    [">1.2.3-alpha.1", "1.2.3-alpha.2", "true"],
    [">1.2.3-alpha.9", "1.2.3-alpha.10", "true"],
    ["^1.2.0-0", "1.9.0-rc1", "true"],
    ["", "1", 'ERROR improper constraint: ""'],
    ["==1", "1", 'ERROR improper constraint: "==1"'],
    ["1,,2", "1", 'ERROR improper constraint: "1,,2"'],
    ["1\u00a02", "1", 'ERROR improper constraint: "1\\u00a02"'],
    ["1|2", "1", "ERROR constraint parser error"],
    ["1", "bad", "ERROR invalid semantic version"],
    ["bad", "bad", 'ERROR improper constraint: "bad"'],
    ["1".repeat(513), "1", "ERROR constraint string is too long (max 512 bytes)"],
    ["1||".repeat(40), "1", "ERROR too many constraint groups (max 32)"],
    // A backtracking regular expression would never finish on this text.
    ["1  ".repeat(150) + "!", "1", 'ERROR !"'],
  ];
  for (const [constraint, version, want] of rows) {
    table([[`{{ semverCompare ${JSON.stringify(constraint)} ${JSON.stringify(version)} }}`, want]]);
  }
});
