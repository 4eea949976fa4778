/** What version an API server is of, as it tells anyone who may ask. */

import type { ClusterAccess } from "./_access.ts";
import { ANSWER_MS, createTransport, type TransportOptions } from "./_transport.ts";

/** As in `v1.35.4`; throws an ApiError, and `undefined` where the answer does not say. */
export async function serverVersion(
  access: ClusterAccess,
  options: TransportOptions,
): Promise<string | undefined> {
  const transport = createTransport(access, options);
  try {
    const bytes = await transport.send({
      action: `ask for the version of ${access.name}`,
      method: "GET",
      path: "/version",
      isRepeatable: true,
    }, (answer) => answer.body({ bytes: 64 * 1024, ms: ANSWER_MS }));
    const { gitVersion } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof gitVersion === "string" ? gitVersion : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    transport.close();
  }
}
