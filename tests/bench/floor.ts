/**
 * The floor of the benchmark: our listener and our runtime, answering every request with the same bytes
 * once its body is read. What an injector on it could do if injecting cost nothing.
 *
 *     floor PORT CERTIFICATE KEY ANSWER
 */
import { readFileSync } from "node:fs";
import { listenHttps } from "../../lib/host/mod.ts";
import { DEFAULT_LIMITS } from "../../lib/server/mod.ts";
import { MAX_BODY_BYTES } from "../../lib/server/inject_route.ts";

const [port, certificate, key, answer] = process.argv.slice(2);
const body = readFileSync(answer);

await listenHttps({
  address: "127.0.0.1",
  port: Number(port),
  secure: { certificates: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8") },
  limits: DEFAULT_LIMITS,
  onError: console.error,
  async handler(request) {
    await request.body(MAX_BODY_BYTES);
    return { status: 200, headers: { "content-type": "application/json" }, body };
  },
});
