import { describe, expect, test } from "bun:test";
import { type Admit, tryInjection } from "../../lib/compare/injection.ts";
import { readRecordLine, reviewLine } from "../../lib/compare/recording.ts";
import { Replay } from "../../lib/compare/replay.ts";
import { admit } from "../../lib/inject/admit.ts";
import { urlEnv } from "../../lib/inject/url_env.ts";
import { casesOf, clusterFor, engineFor, webhookCases } from "../inject/_conformance.ts";
import { withShared } from "../_shared.ts";

withShared("conformance", "recordings of conformance cases", () => {
  describe("Istio's own webhook cases, recorded and replayed", () => {
    test.each(["head", "1.22.8", "1.14.3"])("of %s are decided as recorded", (version) => {
      const replay = new Replay();
      let count = 0;
      for (const conformance of casesOf(version).filter(({ webhook }) => webhook)) {
        const engine = engineFor(conformance, { revision: "default" });
        const cluster = clusterFor(conformance);
        const side = {
          admit: ((request, facts) => admit(request, engine, facts)) satisfies Admit,
          urlEnv: (path: string) => urlEnv(path, engine),
        };
        for (const { pod, namespace } of webhookCases(conformance)) {
          const request = { object: pod, namespace, proxyEnv: {} };
          const { decision, reason, patch } = tryInjection(request, { ...side, cluster });
          const line = readRecordLine(reviewLine({
            time: 0,
            path: "/inject",
            namespace,
            object: pod,
            cluster,
            outcome: { decision, reason, operations: patch?.length ?? 0 },
          }, { config: "v" }));
          if (!("review" in line)) throw new Error("not a review");
          replay.add(line.review, { before: side, after: side, isOriginal: true });
          count++;
        }
      }
      const { reviews, changed, notReproduced } = replay.result();
      expect({ reviews, changed, notReproduced }).toEqual({
        reviews: count,
        changed: 0,
        notReproduced: [],
      });
      expect(count).toBeGreaterThan(50);
    });
  });
});
