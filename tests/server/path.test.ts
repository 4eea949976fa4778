/** Request targets, and how Go's ServeMux (1.26) routes them with `/inject` and `/inject/`. */
import { describe, expect, test } from "bun:test";
import { readTarget } from "../../lib/server/path.ts";

describe("readTarget()", () => {
  test.each([
    ["/inject", "/inject"],
    ["/inject/", "/inject/"],
    ["/inject/cluster/c1", "/inject/cluster/c1"],
    ["/inject/cluster/c1/", "/inject/cluster/c1/"],
    ["/inject/a%2Fb", "/inject/a/b"],
    ["/inject/a%2fb/c", "/inject/a/b/c"],
    ["/inject/a%2F%2Fb", "/inject/a//b"],
    ["/inject/%2e%2e/x", "/inject/../x"],
    ["/%69nject", "/inject"],
    ["/inject?timeout=30s", "/inject"],
    ["/inject/:ENV:a=b", "/inject/:ENV:a=b"],
    ["/inject/a%00b", "/inject/a\0b"],
    ["/inject/a;b", "/inject/a;b"],
    ["/inject/a+b", "/inject/a+b"],
    ["/inject/%e4%bd%a0", "/inject/你"],
    ["/inject/é%e4%bd%a0", "/inject/é你"],
    ["/inject/a%3Fb", "/inject/a?b"],
    ["/inject/a%23b", "/inject/a#b"],
    ["/inject/...", "/inject/..."],
    ["/inject/..x", "/inject/..x"],
    ["/inject/%ff", "/inject/\ufffd"],
    ["https://localhost:15017/inject/x?y", "/inject/x"],
  ])("%s is for the webhook", (target, path) => {
    expect(readTarget(target)).toEqual({ kind: "path", path, first: "inject" });
  });

  test.each(["/inject%2Fa", "/injectx", "/Inject", "/", "/x", "https://localhost"])(
    "%s is not",
    (target) => {
      expect(readTarget(target)).not.toMatchObject({ first: "inject" });
      expect(readTarget(target).kind).toBe("path");
    },
  );

  test.each([
    ["/inject//", "/inject/"],
    ["/inject/.", "/inject"],
    ["/inject/..", "/"],
    ["/inject/./x", "/inject/x"],
    ["/inject/a/../b", "/inject/b"],
    ["/./inject", "/inject"],
    ["//inject", "/inject"],
    ["/inject//x?timeout=30s", "/inject/x?timeout=30s"],
    ["/inject/a//", "/inject/a/"],
    ["/inject/a/.", "/inject/a"],
    ["/inject/a/..", "/inject"],
    ["/../../etc", "/etc"],
  ])("%s is sent to %s", (target, location) => {
    expect(readTarget(target)).toEqual({ kind: "redirect", location });
  });

  test.each(["*", "inject", "/inject/a%zz", "/inject/%", "/inject/%1"])("%s is bad", (target) => {
    expect(readTarget(target)).toEqual({ kind: "bad" });
  });
});
