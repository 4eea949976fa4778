import { expect, test } from "bun:test";
import { costsOf } from "./_profile_costs.ts";

const frame = (functionName: string, url = "", lineNumber = 0) => ({
  callFrame: { functionName, url, lineNumber, columnNumber: 0, scriptId: "0" },
});

/** root > run > answer > { parse, merge > helper of a package } */
const PROFILE = {
  nodes: [
    { id: 1, ...frame("(root)"), children: [2] },
    { id: 2, ...frame("run", "/x/tests/bench/profile.ts"), children: [3] },
    { id: 3, ...frame("answer", "file:///x/lib/admission/answer.ts", 4), children: [4, 5] },
    { id: 4, ...frame("parse"), children: [] },
    { id: 5, ...frame("merge", "/x/lib/patch/merge.ts", 9), children: [6] },
    { id: 6, ...frame("diff", "/x/node_modules/.deno/rfc@1/node_modules/rfc/lib/diff.js", 1) },
  ],
  samples: [2, 4, 5, 6, 6],
  timeDeltas: [100, 10, 10, 10, 10],
};

test("costsOf() gives shares of what is inside the function asked for", () => {
  const { stages, functions, inclusive } = costsOf(PROFILE, { inside: ["answer"] });
  expect(Object.fromEntries(stages)).toEqual({
    "lib/admission/answer.ts": 0.25,
    "lib/patch/merge.ts": 0.75,
  });
  expect(Object.fromEntries(functions)).toEqual({
    parse: 0.25,
    "merge lib/patch/merge.ts:10": 0.25,
    "diff rfc/lib/diff.js:2": 0.5,
  });
  expect(inclusive.get("answer lib/admission/answer.ts:5")).toBe(1);
  expect(inclusive.get("merge lib/patch/merge.ts:10")).toBe(0.75);
  expect(inclusive.has("run profile.ts:1")).toBe(false);
});

test("costsOf() has nothing to say of a profile without samples", () => {
  const { stages } = costsOf({ nodes: [], samples: [], timeDeltas: [] }, { inside: ["answer"] });
  expect(stages.size).toBe(0);
});
