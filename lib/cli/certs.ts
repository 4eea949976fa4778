/** `outrigger certs …`: certificates by hand, for those who don't want them kept by `serve --tls auto`. */

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
  description: "where the Service and the Secret are",
  default: NAMESPACE,
} as const satisfies Flag;

const CREATE_FLAGS = [
  {
    name: "service",
    type: "string",
    value: "NAME",
    description: "the Service that the API server calls",
    default: SERVICE,
  },
  NAMESPACE_FLAG,
  {
    name: "secret",
    type: "string",
    value: "NAME",
    description: "the Secret to put it in: tls.crt, tls.key and ca.crt",
    default: "outrigger-certs",
  },
  {
    name: "tls-name",
    type: "list",
    value: "NAME",
    description: "another name or address it is for",
  },
  {
    name: "lifetime",
    type: "string",
    value: "TIME",
    description: "how long it is valid; nobody renews it",
    default: "8760h",
  },
  {
    name: "overwrite",
    type: "boolean",
    description: "replace a Secret of that name",
    default: false,
  },
  {
    name: "csr",
    type: "boolean",
    description:
      "have the cluster sign it (CertificateSigningRequest) instead of an authority of " +
      "its own",
    default: false,
  },
  {
    name: "signer-name",
    type: "string",
    value: "NAME",
    description: "with --csr: who is to sign",
    default: KUBELET_SIGNER,
  },
  {
    name: "timeout",
    type: "string",
    value: "TIME",
    description: "with --csr: how long to wait for it",
    default: "1m",
  },
  ...CLUSTER_FLAGS,
] as const satisfies readonly Flag[];

const create = defineCommand({
  name: "certs create",
  summary: "make a certificate for a webhook's Service and put it into a Secret",
  usage: "[flags]",
  description: "Makes a key and a certificate for a Service, signed by an authority made for it, " +
    "whose key is thrown away, or with --csr by the cluster; and writes the Secret. What " +
    "webhook-create-signed-cert.sh of Istio did. outrigger serve --tls auto does all this by " +
    "itself, and renews it.",
  flags: CREATE_FLAGS,
  positionals: [],
  examples: [
    {
      line: "outrigger certs create --service outrigger --namespace mesh --secret outrigger-certs",
      note: "valid for a year, with an authority of its own",
    },
    {
      line: "outrigger certs create --csr --signer-name example.com/webhooks",
      note: "signed by the cluster's own signer of that name",
    },
  ],
  run({ flags, sources }, host) {
    for (const name of ["signer-name", "timeout"] as const) {
      if (flags.csr || sources[name] === "default") continue;
      throw new UsageError(
        `Flag "--${name}" goes with --csr alone. Run "outrigger help certs create"`,
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
      `Flag "--lifetime" wants a duration over 0. Run "outrigger help certs create"`,
    );
  }
  const label = `Secret ${JSON.stringify(`${namespace}/${flags.secret}`)}`;
  const existing = await client.get(SECRETS, name).catch(absent);
  if (existing !== undefined && !flags.overwrite) {
    throw new Error(
      `Cannot create ${label}: it is there already; --overwrite replaces it, and whoever trusts ` +
        "the one before it must be given the new ca.crt",
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
        ? "Its authority is not known here: give it to your webhook configurations yourself\n"
        : `Its authority goes into webhook configurations with: outrigger certs patch-ca-bundle ` +
          `--secret ${flags.secret} -n ${namespace} < webhook.yaml\n`),
  );
  return 0;
}

interface SignedPair {
  readonly certificate: string;
  readonly key: string;
  /** "" where nobody knows. */
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
  // The signer's authority is in the chain, or the one that every namespace is told of, or unknown.
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
  summary: "fill the caBundle into webhook configurations (stdin to stdout)",
  usage: "[flags] < FILE",
  description: "Reads manifests, and prints them with the authorities where they say " +
    "${CA_BUNDLE}, and in every webhook of the MutatingWebhookConfigurations among them; all else " +
    "stays as it was. What webhook-patch-ca-bundle.sh of Istio did. The authorities are those of " +
    "a file, of a Secret, or else of the cluster itself.",
  flags: [
    {
      name: "ca-file",
      type: "string",
      value: "FILE",
      description: "PEM of the authorities",
    },
    {
      name: "secret",
      type: "string",
      value: "NAME",
      description: "the Secret that has them, in ca.crt",
    },
    NAMESPACE_FLAG,
    ...CLUSTER_FLAGS,
  ],
  positionals: [],
  examples: [
    {
      line: "cat webhook.yaml | outrigger certs patch-ca-bundle --secret outrigger-certs",
      note: "with the authority that certs create made",
    },
  ],
  async run({ flags }, host) {
    const { "ca-file": file, secret, namespace } = flags;
    if (file && secret) {
      throw new UsageError(
        'Flags "--ca-file" and "--secret" name two places for the same authorities, wanted is ' +
          'one. Run "outrigger help certs patch-ca-bundle"',
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
    await host.stderr.write(`Filled in: webhooks ${webhooks}, placeholders ${placeholders}\n`);
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

/** What Kubernetes puts into every namespace: the authority of the API server, as a rule the signer's too. */
async function clusterRoot(client: KubeClient, namespace: string): Promise<string> {
  const name = "kube-root-ca.crt";
  const { data = {} } = await client.get(CONFIG_MAPS, { namespace, name }) as {
    data?: Record<string, string>;
  };
  const text = Object.hasOwn(data, "ca.crt") ? data["ca.crt"] : "";
  return checked(text, `ca.crt of ConfigMap ${JSON.stringify(`${namespace}/${name}`)}`);
}

/** The API server would take anything, and then call nobody. */
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
  summary: "make certificates by hand, and fill in caBundles",
  commands: [create, patchCaBundle],
});
