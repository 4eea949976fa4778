/**
 * Obtains a certificate from the cluster: creates a CertificateSigningRequest, approves it if permitted,
 * and waits for a signer. A cluster may have no controller that signs for the requested signer.
 */

import { decodeBase64, encodeBase64 } from "../data/base64.ts";
import { type Clock, isKeyOf, readCertificates } from "../host/mod.ts";
import { isApiError, unlessNotFound } from "../kube/api_error.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { CERTIFICATE_SIGNING_REQUESTS } from "../kube/resources.ts";
import { createSigningRequest, type KeyPair } from "./authority.ts";

export interface SigningOptions {
  /** The name of the request; an existing one of that name is replaced. */
  readonly name: string;
  readonly signerName: string;
  readonly names: readonly string[];
  readonly lifetimeMs: number;
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Prints progress. */
  readonly say: (line: string) => Promise<void>;
}

export type SigningErrorCode = "denied" | "failed" | "unsigned" | "bad_certificate";

class SigningError extends Error {
  override readonly name = "SigningError";
  readonly code: SigningErrorCode;

  constructor(code: SigningErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The only built-in signer of Kubernetes for serving certificates. It is meant for kubelets and accepts
 * only requests in their form.
 */
export const KUBELET_SIGNER = "kubernetes.io/kubelet-serving";

/** How often to check whether the request is signed. */
const POLL_MS = 500;

/** The minimum of spec.expirationSeconds. */
const MIN_LIFETIME_SECONDS = 600;

/** Obtains a certificate. Throws a {@link SigningError} or an ApiError. */
export async function requestCertificate(
  client: KubeClient,
  options: SigningOptions,
): Promise<KeyPair> {
  const { name, signerName, names, say } = options;
  const isKubelets = signerName === KUBELET_SIGNER;
  const { request, key } = await createSigningRequest({
    names,
    ...(isKubelets ? { subject: `O=system:nodes, CN=system:node:${names[0]}` } : {}),
  });
  await client.delete(CERTIFICATE_SIGNING_REQUESTS, { name }).catch(unlessNotFound);
  const created = await client.create(CERTIFICATE_SIGNING_REQUESTS, {
    metadata: { name },
    spec: {
      request: encodeBase64(request),
      signerName,
      usages: ["digital signature", "server auth"],
      expirationSeconds: Math.max(Math.ceil(options.lifetimeMs / 1000), MIN_LIFETIME_SECONDS),
    },
  });
  await approve(client, created, say);
  const certificate = await untilSigned(client, options);
  const [leaf] = readCertificates(certificate);
  if (isKeyOf(key, leaf.pem) && names.every((one) => leaf.names.includes(one))) {
    return { certificate, key };
  }
  throw new SigningError(
    "bad_certificate",
    `Cannot use the certificate signed for ${labelOf(name)}: its names or its key do not match`,
  );
}

async function approve(
  client: KubeClient,
  request: KubeObject,
  say: SigningOptions["say"],
): Promise<void> {
  const condition = {
    type: "Approved",
    status: "True",
    reason: "OutriggerCertsCreate",
    message: "approved by the user who ran outrigger certs create --csr",
  };
  const approved = { ...request, status: { conditions: [condition] } };
  try {
    await client.update(CERTIFICATE_SIGNING_REQUESTS, approved, { subresource: "approval" });
  } catch (error) {
    if (!isApiError(error, "forbidden")) throw error;
    const { name } = request.metadata;
    await say(
      `You are not allowed to approve ${labelOf(name!)}; waiting for someone to run ` +
        `"kubectl certificate approve ${name}"`,
    );
  }
}

async function untilSigned(
  client: KubeClient,
  { name, signerName, timeoutMs, clock }: SigningOptions,
): Promise<string> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const { status } = await client.get(CERTIFICATE_SIGNING_REQUESTS, { name });
    const { certificate, conditions = [] } = (status ?? {}) as RequestStatus;
    if (certificate) return decodeBase64(certificate);
    const ended = conditions.find(({ type }) => type === "Denied" || type === "Failed");
    if (ended !== undefined) {
      const said = [ended.reason, ended.message].filter(Boolean).join(": ");
      const code = ended.type === "Denied" ? "denied" : "failed";
      throw new SigningError(code, `${labelOf(name)} was not signed: ${code}: ${said}`);
    }
    if (clock.monotonic() >= deadline) {
      const isApproved = conditions.some(({ type }) => type === "Approved");
      const why = isApproved
        ? `it is approved, but no controller signs for ${JSON.stringify(signerName)}; ` +
          "choose another --signer-name, or omit --csr to create a self-signed CA"
        : "it is not approved";
      throw new SigningError(
        "unsigned",
        `${labelOf(name)} was not signed within ${timeoutMs / 1000} s: ${why}`,
      );
    }
    await new Promise<void>((resume) => clock.after(POLL_MS, resume));
  }
}

interface RequestStatus {
  readonly certificate?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

function labelOf(name: string): string {
  return `CertificateSigningRequest ${JSON.stringify(name)}`;
}
