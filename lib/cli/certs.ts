/** `outrigger certs …`: creates certificates by hand, as an alternative to `serve --tls auto`. */

import { decodeBase64, encodeBase64 } from "../data/base64.ts";
import {
  CertificateError,
  createClock,
  type Host,
  isSignedBy,
  readCertificates,
} from "../host/mod.ts";
import { durationFlag } from "../flags/mod.ts";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { CONFIG_MAPS, SECRETS } from "../kube/resources.ts";
import { createAuthority, issueCertificate, serviceNames } from "../tls/authority.ts";
import { KUBELET_SIGNER, requestCertificate } from "../tls/signing_request.ts";
import { fillCaBundle } from "../webhook/fill_ca_bundle.ts";
import { NAMESPACE, SERVICE } from "../webhook/generate.ts";
import { CLUSTER_FLAGS, withCluster } from "./_cluster_client.ts";
import { type Args, defineCommand, defineGroup, type Flag, UsageError } from "./command.ts";

const NAMESPACE_FLAG = {
  name: "namespace",
  short: "n",
  type: "string",
  value: "NAME",
  description: "namespace of the Service and the Secret",
  default: NAMESPACE,
} as const satisfies Flag;

const CREATE_FLAGS = [
  {
    name: "service",
    type: "string",
    value: "NAME",
    description: "name of the Service that the API server calls",
    default: SERVICE,
  },
  NAMESPACE_FLAG,
  {
    name: "secret",
    type: "string",
    value: "NAME",
    description: "name of the Secret to write tls.crt, tls.key and ca.crt to",
    default: "outrigger-certs",
  },
  {
    name: "tls-name",
    type: "list",
    value: "NAME",
    description: "additional DNS name or IP address for the certificate",
  },
  {
    name: "lifetime",
    type: "string",
    value: "TIME",
    description: "lifetime of the certificate, which is not renewed automatically",
    default: "8760h",
  },
  {
    name: "overwrite",
    type: "boolean",
    description: "replace the Secret if it exists",
    default: false,
  },
  {
    name: "csr",
    type: "boolean",
    description:
      "have the cluster sign the certificate with a CertificateSigningRequest, instead of a new CA",
    default: false,
  },
  {
    name: "signer-name",
    type: "string",
    value: "NAME",
    description: "name of the signer; requires --csr",
    default: KUBELET_SIGNER,
  },
  {
    name: "timeout",
    type: "string",
    value: "TIME",
    description: "how long to wait for the signature; requires --csr",
    default: "1m",
  },
  ...CLUSTER_FLAGS,
] as const satisfies readonly Flag[];

const create = defineCommand({
  name: "certs create",
  summary: "create a certificate for a webhook Service and store it in a Secret",
  usage: "[flags]",
  description:
    "Creates a key and a certificate for a Service and writes them to a Secret. The certificate " +
    "is signed by a new CA whose key is discarded, or with --csr by the cluster. Replaces " +
    "Istio's webhook-create-signed-cert.sh. outrigger serve --tls auto does all of this by itself, " +
    "and renews the certificate.",
  flags: CREATE_FLAGS,
  positionals: [],
  examples: [
    {
      line: "outrigger certs create --service outrigger --namespace mesh --secret outrigger-certs",
      note: "create a certificate that is valid for a year, with its own CA",
    },
    {
      line: "outrigger certs create --csr --signer-name example.com/webhooks",
      note: "have a signer in the cluster sign the certificate",
    },
  ],
  run({ flags, sources }, host) {
    for (const name of ["signer-name", "timeout"] as const) {
      if (flags.csr || sources[name] === "default") continue;
      throw new UsageError(
        `Flag "--${name}" requires --csr. Run "outrigger help certs create"`,
      );
    }
    return withCluster(flags, { host, work: (client) => make(client, flags, host) });
  },
});

type CreateFlags = Args<typeof CREATE_FLAGS>["flags"];

async function make(client: KubeClient, flags: CreateFlags, host: Host): Promise<number> {
  const { namespace, service } = flags;
  const name = { namespace, name: flags.secret };
  const lifetimeMs = durationFlag({ command: "certs create", name: "lifetime" }, flags.lifetime);
  if (lifetimeMs === 0) {
    throw new UsageError(
      `Flag "--lifetime" expects a duration greater than 0. Run "outrigger help certs create"`,
    );
  }
  const label = `Secret ${JSON.stringify(`${namespace}/${flags.secret}`)}`;
  const existing = await client.get(SECRETS, name).catch(absent);
  if (existing !== undefined && !flags.overwrite) {
    throw new Error(
      `Cannot create ${label}: it already exists. Replace it with --overwrite, then update the ` +
        "caBundle of everything that trusts the old CA",
    );
  }
  const names = [...serviceNames(service, namespace), ...flags["tls-name"]];
  const pair = flags.csr
    ? await signedByCluster(client, { flags, names, lifetimeMs, host })
    : await signedByItsOwn({ names, lifetimeMs, now: host.now() });
  const secret = secretOf(name, pair);
  if (existing === undefined) {
    await client.create(SECRETS, secret);
  } else if (existing.type === secret.type) {
    await client.update(SECRETS, { ...existing, data: secret.data });
  } else {
    // The type of a Secret cannot change.
    const preconditions = { uid: String(existing.metadata.uid) };
    await client.delete(SECRETS, name, { preconditions });
    await client.create(SECRETS, secret);
  }
  const [{ notAfter }] = readCertificates(pair.certificate);
  await host.stderr.write(
    `Created ${label} for ${names[0]}, valid until ${new Date(notAfter).toISOString()}\n` +
      (pair.authorities === ""
        ? "The CA of the signer is unknown; set the caBundle of your webhook configurations yourself\n"
        : `Set the caBundle of your webhook configurations with: outrigger certs patch-ca-bundle ` +
          `--secret ${flags.secret} -n ${namespace} < webhook.yaml\n`),
  );
  return 0;
}

interface SignedPair {
  readonly certificate: string;
  readonly key: string;
  /** The CA certificates; "" if unknown. */
  readonly authorities: string;
}

async function signedByItsOwn(
  request: { readonly names: readonly string[]; readonly lifetimeMs: number; readonly now: number },
): Promise<SignedPair> {
  const authority = await createAuthority(request);
  const pair = await issueCertificate(authority, request);
  return { ...pair, authorities: authority.certificate };
}

async function signedByCluster(
  client: KubeClient,
  { flags, names, lifetimeMs, host }: {
    readonly flags: CreateFlags;
    readonly names: readonly string[];
    readonly lifetimeMs: number;
    readonly host: Host;
  },
): Promise<SignedPair> {
  const pair = await requestCertificate(client, {
    name: `${flags.service}.${flags.namespace}`,
    signerName: flags["signer-name"],
    names,
    lifetimeMs,
    timeoutMs: durationFlag({ command: "certs create", name: "timeout" }, flags.timeout),
    clock: createClock(),
    say: (line) => host.stderr.write(`${line}\n`),
  });
  // The signer's CA is part of the chain, or is the cluster's root CA, or is unknown.
  const root = await clusterRoot(client, flags.namespace).catch(() => "");
  const candidates = [pair.certificate, root].flatMap((pem) =>
    pem === "" ? [] : readCertificates(pem)
  );
  const chain = readCertificates(pair.certificate);
  const signed = candidates.filter((one) =>
    one.isAuthority && chain.some(({ pem }) => isSignedBy(pem, one.pem))
  );
  return { ...pair, authorities: signed.map(({ pem }) => pem).join("") };
}

function secretOf(
  name: { readonly namespace: string; readonly name: string },
  { certificate, key, authorities }: SignedPair,
): KubeObject {
  return {
    metadata: name,
    type: "kubernetes.io/tls",
    data: {
      "tls.crt": encodeBase64(certificate),
      "tls.key": encodeBase64(key),
      ...(authorities === "" ? {} : { "ca.crt": encodeBase64(authorities) }),
    },
  };
}

const patchCaBundle = defineCommand({
  name: "certs patch-ca-bundle",
  summary: "set the caBundle of webhook configurations, from stdin to stdout",
  usage: "[flags] < FILE",
  description:
    "Reads manifests from standard input and prints them with the CA certificates in place of " +
    "${CA_BUNDLE} and as the caBundle of every webhook in MutatingWebhookConfigurations. Everything " +
    "else is unchanged. Replaces Istio's webhook-patch-ca-bundle.sh. The CA certificates come from a " +
    "file, from a Secret, or by default from the cluster's root CA.",
  flags: [
    {
      name: "ca-file",
      type: "string",
      value: "FILE",
      description: "file with the CA certificates in PEM format",
    },
    {
      name: "secret",
      type: "string",
      value: "NAME",
      description: "name of the Secret with the CA certificates in ca.crt",
    },
    NAMESPACE_FLAG,
    ...CLUSTER_FLAGS,
  ],
  positionals: [],
  examples: [
    {
      line: "cat webhook.yaml | outrigger certs patch-ca-bundle --secret outrigger-certs",
      note: "use the CA from outrigger certs create",
    },
  ],
  async run({ flags }, host) {
    const { "ca-file": file, secret, namespace } = flags;
    if (file && secret) {
      throw new UsageError(
        'Flags "--ca-file" and "--secret" are mutually exclusive. ' +
          'Run "outrigger help certs patch-ca-bundle"',
      );
    }
    const authorities = file
      ? checked(await host.readText(file), JSON.stringify(file))
      : await withCluster(flags, {
        host,
        work: (client) =>
          secret
            ? secretAuthorities(client, { namespace, name: secret })
            : clusterRoot(client, namespace),
      });
    const { text, webhooks, placeholders } = fillCaBundle(await host.stdin.readText(), authorities);
    await host.stdout.write(text);
    await host.stderr.write(
      `Set the caBundle: webhooks ${webhooks}, placeholders ${placeholders}\n`,
    );
    return 0;
  },
});

async function secretAuthorities(
  client: KubeClient,
  name: { readonly namespace: string; readonly name: string },
): Promise<string> {
  const { data = {} } = await client.get(SECRETS, name) as { data?: Record<string, string> };
  const text = Object.hasOwn(data, "ca.crt") ? decodeBase64(data["ca.crt"]) : "";
  return checked(text, `ca.crt of Secret ${JSON.stringify(`${name.namespace}/${name.name}`)}`);
}

/** Reads the cluster's root CA, which Kubernetes publishes in every namespace and which usually signs CSRs too. */
async function clusterRoot(client: KubeClient, namespace: string): Promise<string> {
  const name = "kube-root-ca.crt";
  const { data = {} } = await client.get(CONFIG_MAPS, { namespace, name }) as {
    data?: Record<string, string>;
  };
  const text = Object.hasOwn(data, "ca.crt") ? data["ca.crt"] : "";
  return checked(text, `ca.crt of ConfigMap ${JSON.stringify(`${namespace}/${name}`)}`);
}

/** Validates a caBundle. The API server accepts invalid ones and then fails every call. */
function checked(authorities: string, place: string): string {
  try {
    readCertificates(authorities);
    return authorities;
  } catch (cause) {
    if (!(cause instanceof CertificateError)) throw cause;
    throw new Error(`Cannot use ${place} as a caBundle: ${cause.message}`, { cause });
  }
}

function absent(error: unknown): undefined {
  if (!(error instanceof ApiError && error.code === "not_found")) throw error;
}

export const certs = defineGroup({
  name: "certs",
  summary: "create certificates by hand, and set caBundles",
  commands: [create, patchCaBundle],
});
