/**
 * A certificate that the cluster signs: a CertificateSigningRequest, approved where we may, and waited
 * for. Who signs is for the cluster to say, and nobody may.
 */

import { type Clock, isKeyOf, readCertificates } from "../host/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { CERTIFICATE_SIGNING_REQUESTS } from "../kube/resources.ts";
import { createSigningRequest, type KeyPair } from "./authority.ts";

export interface SigningOptions {
  /** Of the request; one of that name that is there is replaced. */
  readonly name: string;
  readonly signerName: string;
  readonly names: readonly string[];
  readonly lifetimeMs: number;
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** What goes on, for people. */
  readonly say: (line: string) => Promise<void>;
}

export type SigningErrorCode = "denied" | "failed" | "unsigned" | "bad_certificate";

export class SigningError extends Error {
  override readonly name = "SigningError";
  readonly code: SigningErrorCode;

  constructor(code: SigningErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The one signer of Kubernetes itself that signs for servers. It is meant for kubelets, and takes only
 * requests that look like one's.
 */
export const KUBELET_SIGNER = "kubernetes.io/kubelet-serving";

/** How often to look whether it is signed. */
const LOOK_MS = 500;

/** The shortest life that the API lets one ask for. */
const MIN_LIFETIME_SECONDS = 600;

/** Throws a {@link SigningError} or an ApiError. */
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
  await client.delete(CERTIFICATE_SIGNING_REQUESTS, { name }).catch(unlessAbsent);
  const created = await client.create(CERTIFICATE_SIGNING_REQUESTS, {
    metadata: { name },
    spec: {
      request: btoa(request),
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
  const label = labelOf(name);
  throw new SigningError(
    "bad_certificate",
    `Cannot use what was signed for ${label}: ` +
      `it is for other names or another key`,
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
    message: "approved by whoever ran outrigger certs create --csr",
  };
  const approved = { ...request, status: { conditions: [condition] } };
  try {
    await client.update(CERTIFICATE_SIGNING_REQUESTS, approved, { subresource: "approval" });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "forbidden")) throw error;
    const { name } = request.metadata;
    await say(
      `You may not approve ${labelOf(name!)}; waiting for somebody to run ` +
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
    if (certificate) return atob(certificate);
    const ended = conditions.find(({ type }) => type === "Denied" || type === "Failed");
    if (ended !== undefined) {
      const said = [ended.reason, ended.message].filter(Boolean).join(": ");
      const code = ended.type === "Denied" ? "denied" : "failed";
      throw new SigningError(code, `Cannot have ${labelOf(name)} signed: it was ${code}, ${said}`);
    }
    if (clock.monotonic() >= deadline) {
      const isApproved = conditions.some(({ type }) => type === "Approved");
      const why = isApproved
        ? `it is approved, but nobody signs for ${JSON.stringify(signerName)}; ` +
          "see --signer-name, or leave out --csr for an authority of its own"
        : "it is not approved";
      throw new SigningError(
        "unsigned",
        `Cannot have ${labelOf(name)} signed within ${timeoutMs / 1000} s: ${why}`,
      );
    }
    await new Promise<void>((resume) => clock.after(LOOK_MS, resume));
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

function unlessAbsent(error: unknown): void {
  if (!(error instanceof ApiError && error.code === "not_found")) throw error;
}
