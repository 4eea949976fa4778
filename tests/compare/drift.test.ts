import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { changeLine } from "../../lib/compare/changes.ts";
import { driftOf } from "../../lib/compare/drift.ts";
import { STAMP, stamped, stampOf } from "../../lib/inject/stamp.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { createInjector } from "../../lib/inject/injector.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";

const LEGACY = readFileSync(
  `${import.meta.dirname}/../../templates/legacy-1.1.yaml`,
  "utf8",
);
const sprig = sprigFunctions(testSprigHost());

function injectorOf(config: string) {
  return createInjector({ config, values: "", mesh: "" }, { sprig });
}

const POD = {
  metadata: { name: "p", namespace: "shop" },
  spec: { containers: [{ name: "app", image: "app:1", ports: [{ containerPort: 80 }] }] },
};

describe("driftOf() a pod of a legacy config", () => {
  const { admit, isLegacy } = injectorOf(LEGACY);
  const { patch } = admit({ object: POD, namespace: "shop", proxyEnv: {} });
  const running = applyPatch(POD, patch!);

  test("is current if the template is unchanged", () => {
    expect(isLegacy).toBe(true);
    expect(driftOf(running, { admit, cluster: {}, version: "v" })).toEqual({
      state: "current",
      by: "comparison",
    });
  });

  test("reports the template versions and the differences", () => {
    const changed = LEGACY.replace("name: istio-envoy", "name: istio-other");
    expect(changed).not.toBe(LEGACY);
    const { admit } = injectorOf(changed);
    const drift = driftOf(running, { admit, cluster: {}, version: "v" });
    if (drift.state !== "drifted") throw new Error(drift.state);
    const [first, ...rest] = drift.changes.map(changeLine);
    expect(first).toMatch(/^~ \(template\): [0-9a-f]{12} → [0-9a-f]{12}$/);
    expect(rest.join("\n")).toContain("istio-other");
  });

  test("a changed template with the same output is no drift", () => {
    const { admit } = injectorOf(LEGACY.replace("template: |\n", "template: |\n    # changed\n"));
    expect(driftOf(running, { admit, cluster: {}, version: "v" }).state).toBe("current");
  });
});

describe("driftOf()", () => {
  const admit = () => {
    throw new Error("must not be asked");
  };
  test.each([[undefined], [null], [{}], ["pod"], [{ metadata: { annotations: 5 } }], [POD]])(
    "%j is not injected",
    (pod) => {
      expect(driftOf(pod, { admit, cluster: {}, version: "v" })).toEqual({ state: "not_injected" });
    },
  );
});

describe("stamped()", () => {
  const decision = { inject: true, reason: "policy_enabled", warnings: [] } as const;

  test("stamps injected pods only", () => {
    const patch = [{ op: "add", path: "/metadata/annotations", value: { a: "b" } }] as const;
    const result = applyPatch(POD, stamped({ decision, patch }, "v1").patch!) as typeof POD;
    expect(result.metadata).toMatchObject({ annotations: { a: "b", [STAMP]: "v1" } });
    expect(stampOf(result)).toBe("v1");
    expect(stamped({ decision }, "v1")).toEqual({ decision });
    expect(stampOf(POD)).toBeUndefined();
  });
});
