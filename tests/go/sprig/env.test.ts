import { describe, expect, test } from "bun:test";
import { render, table } from "./_host_table.ts";

const host = { env: (name: string) => ({ HOME: "/h", "a b": "spaced", "1": "one" })[name] };

describe("env and expandenv see the variables that the host exposes", () => {
  table([
    [`{{ env "HOME" }}|{{ env "SECRET" }}|{{ env "" }}|`, "/h|||"],
    [`{{ expandenv "$HOME/\${HOME}x $HOMEx" }}|`, "/h//hx |"],
    [`{{ expandenv "\${a b} $1a \${1}" }}`, "spaced onea one"],
    [`{{ expandenv "a$ $é \${} \${ $" }}|`, "a$ $é   $|"],
    [`{{ expandenv "a\${SECRET}b" }}`, "ab"],
  ], { host });
  test("the environment of the process is not visible", () => {
    expect(render(`{{ env "PATH" }}{{ expandenv "$PATH" }}`)).toBe("");
    expect(render(`{{ env "toString" }}{{ env "__proto__" }}`)).toBe("");
  });
});
