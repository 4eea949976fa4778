/** Istio's own webhook cases and random pods, sent to a real server over real HTTPS. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { ReviewInjector } from "../../lib/admission/mod.ts";
import { admit } from "../../lib/inject/admit.ts";
import { urlEnv } from "../../lib/inject/url_env.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import {
  type Case,
  casesOf,
  clusterFor,
  engineFor,
  SHARED,
  type WebhookCase,
  webhookCases,
} from "../inject/_conformance.ts";
import { Client } from "./_client.ts";
import { serving } from "./_serving.ts";
import { withShared } from "../_shared.ts";

type Settings = Pick<Case, "version" | "settings" | "env" | "nodes">;

/** One server for all cases; its injector is replaced before each, as by a reload. */
let current: Settings;
const injector: ReviewInjector = {
  kindRequired: true,
  urlEnv: (path) => urlEnv(path, engineFor(current, { revision: "default" })),
  admit: (request, cluster) => admit(request, engineFor(current, { revision: "default" }), cluster),
};

async function send(
  client: Client,
  { pod, namespace }: Pick<WebhookCase, "pod" | "namespace">,
  { path = "/inject", version = "v1" } = {},
) {
  const uid = crypto.randomUUID();
  const kind = { group: "", version: "v1", kind: "Pod" };
  const { status, headers, body } = await client.review({
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, kind, operation: "CREATE", namespace, object: pod },
  }, path);
  const review = JSON.parse(body);
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("application/json");
  expect(review).toMatchObject({
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    response: { uid },
  });
  return review.response;
}

function check(response: Awaited<ReturnType<typeof send>>, wanted: WebhookCase): void {
  expect(response.allowed).toBe(wanted.allowed);
  if (!wanted.allowed) {
    expect(unordered(response.status.message)).toEqual(unordered(wanted.message));
    expect(response.patch).toBeUndefined();
    return;
  }
  const patch = response.patch === undefined
    ? []
    : JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(response.patch)));
  expect(response.patchType).toBe(response.patch === undefined ? undefined : "JSONPatch");
  expect(applyPatch(wanted.pod, patch)).toEqual(wanted.patched ?? wanted.pod);
}

/** Istio prints the errors of a multi-error and the names of templates in any order. */
function unordered(message: string): string[] {
  return message.replace(/; have (.*)$/m, (_, names) => `; have ${names.split(", ").sort()}`)
    .split("\n").sort();
}

withShared("conformance", "conformance over HTTPS", () => {
  describe("over HTTPS", () => {
    test("answers Istio's webhook cases as Istio does", async () => {
      await using server = await serving({ injector, cluster: () => clusterFor(current) });
      const client = await Client.tls(server.port);
      let count = 0;
      for (const conformance of casesOf("head").filter(({ webhook }) => webhook)) {
        current = conformance;
        for (const webhook of webhookCases(conformance)) {
          check(await send(client, webhook), webhook);
          count++;
        }
      }
      expect(count).toBeGreaterThan(100);
      client.close();
    });

    test("answers random pods, paths and versions as Istio does", async () => {
      await using server = await serving({ injector });
      const client = await Client.tls(server.port);
      let count = 0;
      for (const file of readdirSync(`${SHARED}/fuzz`).filter((name) => name.endsWith(".jsonl"))) {
        const [settings, native] = file.replace(".jsonl", "").split("-");
        const env = { ENABLE_NATIVE_SIDECARS: native ? "true" : "false" };
        current = { version: "head", settings, env };
        for (const line of readFileSync(`${SHARED}/fuzz/${file}`, "utf8").trim().split("\n")) {
          const row = JSON.parse(line) as WebhookCase & { path: string; review: string };
          check(await send(client, row, { path: row.path, version: row.review }), row);
          count++;
        }
      }
      expect(count).toBeGreaterThan(0);
      client.close();
    });
  });
});
