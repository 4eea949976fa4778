import { describe, expect, test } from "bun:test";
import { changeLine } from "../../lib/compare/changes.ts";
import { driftOf } from "../../lib/compare/drift.ts";
import { type Admit, tryInjection } from "../../lib/compare/injection.ts";
import { admit } from "../../lib/inject/admit.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { casesOf, clusterFor, engineFor, webhookCases } from "../inject/_conformance.ts";
import { withShared } from "../_shared.ts";

/** Cases that look like drift, with reasons. */
const GAPS: ReadonlyMap<string, string> = new Map([
  ["merge-probers", "came with the sidecar of another version in it, which is drift indeed"],
]);

withShared("conformance", "drift of conformance cases", () => {
  describe("Istio's own webhook cases, once injected", () => {
    test.each(["head", "1.22.8", "1.18.7"])("of %s have not drifted", (version) => {
      const drifted: string[] = [];
      let count = 0;
      for (const conformance of casesOf(version).filter(({ webhook }) => webhook)) {
        const engine = engineFor(conformance, { revision: "default" });
        const cluster = clusterFor(conformance);
        const side: Admit = (request, facts) => admit(request, engine, facts);
        for (const { pod, namespace } of webhookCases(conformance)) {
          const { patch } = tryInjection({ object: pod, namespace, proxyEnv: {} }, {
            admit: side,
            cluster,
          });
          if (patch === undefined) continue;
          // The API server always sets the namespace.
          const injected = applyPatch(pod, patch) as { metadata: object };
          const running = { ...injected, metadata: { namespace, ...injected.metadata } };
          const drift = driftOf(running, { admit: side, cluster, version: "v" });
          count++;
          if (drift.state === "current" || GAPS.has(conformance.name)) continue;
          const lines = drift.state === "drifted" ? drift.changes.map(changeLine) : [drift.state];
          drifted.push(`${conformance.name}: ${lines.join("; ").slice(0, 700)}`);
        }
      }
      expect(count).toBeGreaterThan(50);
      expect(drifted).toEqual([]);
    });
  });
});
