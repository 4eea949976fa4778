/**
 * Requests and answers of Istio 1.1 to 1.7 as they went over HTTP, sent to our server with the config
 * of that version. Where ours answers better than the original did, the differences are stated.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createInjector } from "../../lib/inject/injector.ts";
import { sprigFunctions } from "../../lib/go/sprig/mod.ts";
import { applyPatch } from "../../lib/patch/json_patch.ts";
import { testSprigHost } from "../go/_sprig_host.ts";
import { CONFORMANCE } from "../inject/_conformance.ts";
import { Client, type ClientAnswer } from "./_client.ts";
import { serving } from "./_serving.ts";
import { withShared } from "../_shared.ts";

interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
  readonly status: number;
  readonly response: string;
  /** Istio closed the connection. */
  readonly transportError?: string;
}

const VERSIONS = ["1.1.3", "1.2.10", "1.4.10", "1.6.14", "1.7.8"];
const sprig = sprigFunctions(testSprigHost());

/** Our server accepts v1 reviews, and paths below /inject, with every config. */
function isBetter({ name, status, response }: Row): boolean {
  return (["v1", "kind-v1"].includes(name) && response.includes("no kind")) ||
    (["path-below", "cluster-path"].includes(name) && status === 404);
}

/** The source location of a Go scheme differs between versions. */
const comparable = (message: string) => message.replace(/ in scheme "[^"]*"$/, "");

function check(row: Row, answer: ClientAnswer): void {
  if (isBetter(row)) {
    expect(JSON.parse(answer.body).response).toMatchObject({ uid: "u-1", allowed: true });
    return;
  }
  if (row.transportError !== undefined) {
    const { response } = JSON.parse(answer.body);
    expect(response.allowed).toBe(false);
    expect(response.status.message).toBe("the AdmissionReview has no request");
    return;
  }
  expect(answer.status).toBe(row.status);
  if (row.status !== 200) return expect(answer.body).toBe(row.response);
  const { response: got, ...ours } = JSON.parse(answer.body);
  const { response: wanted, ...theirs } = JSON.parse(row.response);
  expect(ours).toMatchObject(theirs);
  expect([got.uid, got.allowed]).toEqual([wanted.uid, wanted.allowed]);
  expect(comparable(got.status?.message ?? "")).toBe(comparable(wanted.status?.message ?? ""));
  expect(got.patch === undefined).toBe(wanted.patch === undefined);
  if (wanted.patch === undefined) return;
  const pod = JSON.parse(row.body).request.object;
  const patched = ({ patch }: { patch: string }) =>
    applyPatch(pod, JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(patch))));
  expect(patched(got)).toEqual(patched(wanted));
}

withShared("conformance", "HTTP of old versions", () => {
  describe.each(VERSIONS)("HTTP of Istio %s", (version) => {
    const file = `${CONFORMANCE}/${version}/tables/http.json`;
    const { rows, config, mesh, values = "" } = existsSync(file)
      ? JSON.parse(readFileSync(file, "utf8"))
      : { rows: [] };

    test(`${rows.length} requests are answered as Istio answers them`, async () => {
      const injector = createInjector({ config, mesh, values }, {
        acceptYamlReviews: true,
        sprig,
        compat: Number(version.split(".")[1]),
      });
      await using server = await serving({ injector });
      const client = await Client.tls(server.port);
      for (const row of rows as Row[]) {
        const { method, path, contentType, body } = row;
        const headers: Record<string, string> = contentType ? { "content-type": contentType } : {};
        const answer = await client.request(path, {
          method,
          headers,
          ...(body === "" ? {} : { body }),
        });
        try {
          check(row, answer);
        } catch (error) {
          throw new Error(`${row.name}: ${(error as Error).message}`, { cause: error });
        }
      }
      client.close();
    });
  });
});
