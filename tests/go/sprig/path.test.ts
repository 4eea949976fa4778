import { describe } from "bun:test";
import { table } from "./_host_table.ts";

describe("path functions work as in Go, and os functions as on Unix", () => {
  const rows: [path: string, base: string, dir: string, clean: string, ext: string, abs: string][] =
    [
      ["", ".", ".", ".", "", "false"],
      [".", ".", ".", ".", ".", "false"],
      ["..", "..", ".", "..", ".", "false"],
      ["/", "/", "/", "/", "", "true"],
      ["///", "/", "/", "/", "", "true"],
      ["a/b/", "b", "a/b", "a/b", "", "false"],
      ["/a/b/../c/file.tar.gz", "file.tar.gz", "/a/c", "/a/c/file.tar.gz", ".gz", "true"],
      ["a//b/./c", "c", "a/b", "a/b/c", "", "false"],
      ["../../a", "a", "../..", "../../a", "", "false"],
      ["/../a", "a", "/", "/a", "", "true"],
      ["a/..", "..", "a", ".", ".", "false"],
      ["a.b/c", "c", "a.b", "a.b/c", "", "false"],
      ["é.x/.é", ".é", "é.x", "é.x/.é", ".é", "false"],
    ];
  for (const [p, ...want] of rows) {
    describe(JSON.stringify(p), () => {
      const data = { p };
      const expected = want.join("|");
      table([
        ["{{ base .p }}|{{ dir .p }}|{{ clean .p }}|{{ ext .p }}|{{ isAbs .p }}", expected],
        [
          "{{ osBase .p }}|{{ osDir .p }}|{{ osClean .p }}|{{ osExt .p }}|{{ osIsAbs .p }}",
          expected,
        ],
      ], { data });
    });
  }
});
