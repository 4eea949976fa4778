/** The version of an API server. */

import type { ClusterAccess } from "./_access.ts";
import { createTransport, RESPONSE_MS, type TransportOptions } from "./_transport.ts";

/** Returns the version (`v1.35.4`), or undefined if the response has none. Throws an ApiError. */
export async function serverVersion(
  access: ClusterAccess,
  options: TransportOptions,
): Promise<string | undefined> {
  const transport = createTransport(access, options);
  try {
    const bytes = await transport.send({
      action: `get the version of ${access.name}`,
      method: "GET",
      path: "/version",
      isRepeatable: true,
    }, (response) => response.body({ bytes: 64 * 1024, ms: RESPONSE_MS }));
    const { gitVersion } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof gitVersion === "string" ? gitVersion : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    transport.close();
  }
}
