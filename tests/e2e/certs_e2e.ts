/** Certificates by hand: what Istio's two scripts did, in a real cluster. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  type Extension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isForName, isSignedBy, readKeyPair } from "../../lib/host/mod.ts";
import type { KubeObject } from "../../lib/kube/client.ts";
import { parseYaml } from "../../lib/yaml/mod.ts";
import {
  CERTIFICATE_SIGNING_REQUESTS,
  CONFIG_MAPS,
  MUTATING_WEBHOOK_CONFIGURATIONS,
  NAMESPACES,
  SECRETS,
} from "../../lib/kube/resources.ts";
import { adminClient, clusterInfo, outrigger } from "./_environment.ts";
import { certificateUser, writeKubeconfig } from "./_kubeconfig.ts";
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from "./_resources.ts";
import { until } from "./_until.ts";

const info = clusterInfo();
const admin = adminClient(info);
const folder = mkdtempSync(join(tmpdir(), "outrigger-e2e-certs-"));
const HOME = "certs-e2e";
const kubeconfig = (name: string, user: object) =>
  `--kubeconfig=${writeKubeconfig(join(folder, name), { info, user })}`;
const ADMIN = kubeconfig("admin", certificateUser(info.admin));
const READER = kubeconfig("reader", certificateUser(info.reader));
const SIGNER = "example.com/webhooks";
const REQUEST = { name: "injector.certs-e2e" };

const create = (...flags: string[]) =>
  outrigger([
    "certs",
    "create",
    "--service=injector",
    `--namespace=${HOME}`,
    "--secret=certs",
    ...flags,
  ]);

async function secretTexts(name = "certs"): Promise<Record<string, string>> {
  const { data } = await admin.get(SECRETS, { namespace: HOME, name });
  return Object.fromEntries(
    Object.entries(data as Record<string, string>).map(([key, text]) => [key, atob(text)]),
  );
}

beforeAll(async () => {
  await admin.create(NAMESPACES, { metadata: { name: HOME } });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  admin.close();
});

describe("outrigger certs create", () => {
  test("makes a Secret with a certificate for the Service, of an authority of its own", async () => {
    const { code, err } = await create(ADMIN, "--tls-name=127.0.0.1");
    expect(err).toStartWith('Created Secret "certs-e2e/certs" for injector.certs-e2e.svc, valid');
    expect(code).toBe(0);
    const texts = await secretTexts();
    expect(Object.keys(texts).sort()).toEqual(["ca.crt", "tls.crt", "tls.key"]);
    expect(readKeyPair(texts["tls.crt"], texts["tls.key"]).isAuthority).toBe(false);
    expect(isSignedBy(texts["tls.crt"], texts["ca.crt"])).toBe(true);
    for (const name of ["injector.certs-e2e.svc", "127.0.0.1"]) {
      expect(isForName(texts["tls.crt"], name)).toBe(true);
    }
  });

  test("does not replace one that is there, unless told to", async () => {
    const before = await secretTexts();
    const refused = await create(ADMIN);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(
      'Cannot create Secret "certs-e2e/certs": it already exists. Replace it with --overwrite',
    );
    expect(await secretTexts()).toEqual(before);
    expect((await create(ADMIN, "--overwrite")).code).toBe(0);
    expect((await secretTexts())["tls.crt"]).not.toBe(before["tls.crt"]);
  });

  test("--csr: the cluster's signer signs, once it is approved", async () => {
    const signer = await createSigner();
    await admin.create(CONFIG_MAPS, {
      metadata: { name: "kube-root-ca.crt", namespace: HOME },
      data: { "ca.crt": signer.certificate },
    });
    const running = create(ADMIN, "--csr", `--signer-name=${SIGNER}`, "--overwrite");
    await signer.sign(await until("approved", approvedRequest));
    const { code, err } = await running;
    expect(err).toStartWith("Created Secret");
    expect(code).toBe(0);
    const texts = await secretTexts();
    readKeyPair(texts["tls.crt"], texts["tls.key"]);
    expect(isSignedBy(texts["tls.crt"], texts["ca.crt"])).toBe(true);
    expect(isForName(texts["tls.crt"], "injector.certs-e2e.svc")).toBe(true);
  });

  test("--csr: says so when nobody signs, within the time given", async () => {
    const began = performance.now();
    const { code, err } = await create(ADMIN, "--csr", "--timeout=2s", "--overwrite");
    expect(code).toBe(1);
    expect(err).toContain(
      'CertificateSigningRequest "injector.certs-e2e" was not signed within 2 s: it is ' +
        'approved, but no controller signs for "kubernetes.io/kubelet-serving"; choose another',
    );
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("--csr: says so when the signer will not", async () => {
    const running = create(ADMIN, "--csr", `--signer-name=${SIGNER}`, "--overwrite");
    const request = await until("approved", approvedRequest);
    const value = { type: "Failed", status: "True", reason: "NoWay", message: "not today" };
    await admin.patch(CERTIFICATE_SIGNING_REQUESTS, REQUEST, {
      type: "json",
      patch: [{ op: "add", path: "/status/conditions/-", value }],
      subresource: "status",
    });
    expect(request.metadata.name).toBe(REQUEST.name);
    const { code, err } = await running;
    expect({ code, err }).toEqual({
      code: 1,
      err: 'outrigger: CertificateSigningRequest "injector.certs-e2e" was not signed: ' +
        "failed: NoWay: not today\n",
    });
  });

  test("--csr: waits for somebody else to approve, where the user may not", async () => {
    await admin.create(CLUSTER_ROLES, {
      metadata: { name: "certs-e2e" },
      rules: [
        {
          apiGroups: ["certificates.k8s.io"],
          resources: ["certificatesigningrequests"],
          verbs: ["get", "create", "delete"],
        },
        { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "update"] },
      ],
    });
    await admin.create(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: "certs-e2e" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "certs-e2e" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "reader" }],
    });
    const { code, err } = await create(READER, "--csr", "--timeout=2s", "--overwrite");
    expect(code).toBe(1);
    expect(err).toContain(
      'You are not allowed to approve CertificateSigningRequest "injector.certs-e2e"; waiting for someone ' +
        'to run "kubectl certificate approve injector.certs-e2e"',
    );
    expect(err).toContain("signed within 2 s: it is not approved");
    await admin.delete(CLUSTER_ROLE_BINDINGS, { name: "certs-e2e" });
    await admin.delete(CLUSTER_ROLES, { name: "certs-e2e" });
  });
});

describe("outrigger certs patch-ca-bundle", () => {
  test("fills in the authority of a Secret, and the API server takes what comes out", async () => {
    const generated = await outrigger(["webhook", "generate", "--revision=certs", "-n", HOME]);
    const stdin = `# kept\n${generated.out}`;
    const patch = (...flags: string[]) =>
      outrigger(["certs", "patch-ca-bundle", "-n", HOME, ADMIN, ...flags], { stdin });
    const { out, err, code } = await patch("--secret=certs");
    expect({ code, err }).toEqual({
      code: 0,
      err: "Set the caBundle: webhooks 2, placeholders 0\n",
    });
    const authority = (await secretTexts())["ca.crt"];
    const lines = out.split("\n");
    expect(lines.filter((line) => !line.includes("caBundle:")).join("\n")).toBe(stdin);
    expect(lines.filter((line) => line.trim() === `caBundle: ${btoa(authority)}`)).toHaveLength(2);
    const object = parseYaml(out) as { metadata: { name: string } };
    await admin.create(MUTATING_WEBHOOK_CONFIGURATIONS, object, { dryRun: true });
    // Without a Secret it is what the cluster tells every namespace.
    const { out: other } = await patch();
    const { data } = await admin.get(CONFIG_MAPS, { namespace: HOME, name: "kube-root-ca.crt" });
    expect(other).toContain(`caBundle: ${btoa((data as { "ca.crt": string })["ca.crt"])}\n`);
  });
});

function approvedRequest() {
  return admin.get(CERTIFICATE_SIGNING_REQUESTS, REQUEST).then((request) => {
    const { conditions = [], certificate } = request.status as {
      conditions?: readonly { type: string }[];
      certificate?: string;
    };
    // One of that name may be there from before.
    const { signerName } = request.spec as { signerName: string };
    const isNew = signerName === SIGNER && certificate === undefined;
    return isNew && conditions.some(({ type }) => type === "Approved") ? request : undefined;
  }, () => undefined);
}

/** The controller of a signer: signs what it is given, for whom it says. */
async function createSigner() {
  const curve = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(curve, true, ["sign", "verify"]) as CryptoKeyPair;
  const dates = {
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  };
  const own = await X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: "01",
    name: "CN=signer",
    keys,
    signingAlgorithm: curve,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  });
  return {
    certificate: own.toString("pem"),
    async sign({ spec }: KubeObject) {
      const request = new Pkcs10CertificateRequest(atob((spec as { request: string }).request));
      const alternatives = request.extensions.filter((one: Extension) =>
        one instanceof SubjectAlternativeNameExtension
      );
      const certificate = await X509CertificateGenerator.create({
        ...dates,
        serialNumber: "02",
        subject: request.subject,
        issuer: own.subject,
        publicKey: await request.publicKey.export(),
        signingKey: keys.privateKey,
        signingAlgorithm: curve,
        extensions: alternatives,
      });
      await admin.patch(CERTIFICATE_SIGNING_REQUESTS, REQUEST, {
        type: "merge",
        patch: { status: { certificate: btoa(`${certificate.toString("pem")}\n`) } },
        subresource: "status",
      });
    },
  };
}
