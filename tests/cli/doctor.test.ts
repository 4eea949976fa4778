import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../lib/cli/mod.ts";
import { stringifyYaml } from "../../lib/yaml/mod.ts";
import { strategicMerge } from "../../lib/patch/strategic_merge.ts";
import { memoryHost } from "../_memory_host.ts";
import { MANIFESTS } from "../manifests/_generated.ts";
import { manifestFiles, only, readManifests } from "../manifests/_objects.ts";

/** The files of a folder of manifests/, or one of them, in one folder. */
function filesOf(path = ""): Record<string, string> {
  return Object.fromEntries(
    manifestFiles(path).map((
      file,
    ) => [`m/${file.split("/").at(-1)}`, readFileSync(join(MANIFESTS, file), "utf8")]),
  );
}
const FILES = filesOf();

type Change = (files: Record<string, string>) => Record<string, string>;

async function run(change: Change = (files) => files, flags = "") {
  const host = memoryHost({ files: change(FILES) });
  const code = await runCli(`doctor -f m ${flags}`.trim().split(" "), host);
  return { code, out: host.out.stdout, err: host.out.stderr };
}

function replace(file: string, from: string | RegExp, to: string): Change {
  return (files) => {
    const text = files[`m/${file}`].replace(from, to);
    expect(text).not.toBe(files[`m/${file}`]);
    return { ...files, [`m/${file}`]: text };
  };
}

const without = (file: string): Change => (files) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => name !== `m/${file}`));

describe("outrigger doctor -f", () => {
  /** Sets a variable of the Deployment, as `kubectl set env` does. */
  const env = (name: string, value: string): Change =>
    replace(
      "30-deployment.yaml",
      "env:\n",
      `env:\n            - {name: ${name}, value: "${value}"}\n`,
    );
  const SETS: [what: string, change: Change][] = [
    ["istio-1.1/", () => filesOf("istio-1.1")],
    ...manifestFiles("options").map((file): [string, Change] => [
      file,
      (files) => ({ ...files, ...filesOf(file) }),
    ]),
    [
      "options/events.yaml, with its flag",
      (files) => env("OUTRIGGER_EVENTS", "true")({ ...files, ...filesOf("options/events.yaml") }),
    ],
    [
      "options/openshift.yaml, with its flag",
      (files) => env("PLATFORM", "openshift")({ ...files, ...filesOf("options/openshift.yaml") }),
    ],
    ["options/istio-config.yaml, with its flags", (files) => {
      const args = /- --inject-configmap=outrigger\n\s+- --mesh-configmap=outrigger/;
      const flags = "- --inject-configmap=istio-system/istio-sidecar-injector\n" +
        "            - --mesh-configmap=istio-system/istio";
      const option = filesOf("options/istio-config.yaml");
      return replace("30-deployment.yaml", args, flags)({ ...files, ...option });
    }],
    ["variants/revision.yaml, as its comment describes", (files) => ({
      ...env("REVISION", "outrigger")(without("90-webhook.yaml")(files)),
      ...filesOf("options/webhooks.yaml"),
      "m/90.yaml": files["m/90-webhook.yaml"]
        .replace("istio.io/rev: default", "istio.io/rev: outrigger")
        .replace(
          "  name: istio-sidecar-injector-outrigger-system",
          "  name: istio-sidecar-injector-outrigger-outrigger-system",
        ),
    })],
    [
      "10-access.yaml without permissions for Secrets and webhooks, with certificates of cert-manager",
      (
        files,
      ) => {
        const rule =
          / {2}- apiGroups: \[(?:admission|coord|""\]\n {4}resources: \[secrets)[^]*?verbs:.*\n/g;
        return [
          replace("10-access.yaml", rule, ""),
          replace("30-deployment.yaml", "- --tls=auto", "- --tls=files"),
          replace(
            "90-webhook.yaml",
            "metadata:\n",
            "metadata:\n  annotations:\n    cert-manager.io/inject-ca-from: outrigger-system/outrigger\n",
          ),
        ].reduce((changed, change) => change(changed), files);
      },
    ],
    ...manifestFiles("variants").map((file): [string, Change] => [file, (files) => {
      const [patch] = readManifests(file);
      const deployment = strategicMerge(only(readManifests(), "Deployment"), patch, "Deployment");
      const service = only(readManifests(), "Service");
      const text = `${stringifyYaml(deployment)}---\n${stringifyYaml(service)}`;
      return { ...files, "m/30-deployment.yaml": text };
    }]),
  ];
  test.each(SETS)("finds no problems in manifests/%s", async (_, change) => {
    const { code, out, err } = await run(change);
    expect(out.split("\n").filter((line) => /^(?:warn|error)/.test(line))).toEqual([]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("finds no problems in manifests/", async () => {
    const { code, out, err } = await run();
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(
      "ok  webhook         MutatingWebhookConfiguration istio-sidecar-injector",
    );
    expect(out).toMatch(/\n\n0 errors, 0 warnings, \d+ ok\n$/);
    for (const line of out.trim().split("\n").slice(0, -2)) expect(line).toStartWith("ok ");
  });

  const cases: [what: string, change: Change, level: string, line: string, fix: string][] = [
    [
      "no webhook",
      without("90-webhook.yaml"),
      "error",
      "webhook  MutatingWebhookConfiguration: no configuration calls an injector: no pod is injected",
      "outrigger webhook generate | kubectl apply -f -",
    ],
    [
      "no Service",
      replace("30-deployment.yaml", "kind: Service\n", "kind: Other\n"),
      "error",
      "Service outrigger-system/outrigger: the webhook calls it, but it does not exist",
      "kubectl -n outrigger-system get services; outrigger webhook generate --help",
    ],
    [
      "another port",
      replace("30-deployment.yaml", "port: 443", "port: 8443"),
      "error",
      "the webhook calls port 443, but the Service has 8443, 15014",
      "kubectl -n outrigger-system patch service outrigger --type=json",
    ],
    [
      "a target port that does not exist",
      replace("30-deployment.yaml", "targetPort: https-webhook", "targetPort: https"),
      "error",
      "Deployment outrigger-system/outrigger has no port https (targetPort)",
      "kubectl -n outrigger-system edit service outrigger",
    ],
    [
      "a Service that selects no pods",
      replace(
        "30-deployment.yaml",
        /(kind: Service[^]*app\.kubernetes\.io\/name: )outrigger/,
        "$1other",
      ),
      "error",
      "it selects the pods of no Deployment in these manifests",
      "kubectl -n outrigger-system get deployments --show-labels",
    ],
    [
      "one replica",
      replace("30-deployment.yaml", "replicas: 2", "replicas: 1"),
      "warn",
      "1 replica: no pods can start while it is rescheduled",
      "kubectl -n outrigger-system scale deployment/outrigger --replicas=2",
    ],
    [
      "a certificate that nothing creates",
      replace("30-deployment.yaml", "- --tls=auto\n", ""),
      "error",
      "the caBundle is empty and will not be filled in",
      "kubectl -n outrigger-system rollout restart deployment/outrigger",
    ],
    [
      "a deadlock",
      (files) =>
        replace("30-deployment.yaml", 'sidecar.istio.io/inject: "false"', "sidecar: none")(
          replace("90-webhook.yaml", /- kube-system\n\s+- outrigger-system/g, "- kube-system")(
            replace("00-namespace.yaml", "istio-injection: disabled", "istio-injection: enabled")(
              files,
            ),
          ),
        ),
      "error",
      "it is called for the injector's own pods (Deployment outrigger-system/outrigger)",
      "outrigger webhook generate | kubectl apply -f -",
    ],
    [
      "pods of all namespaces",
      replace(
        "90-webhook.yaml",
        / {2}namespaceSelector:\n {4}matchExpressions:[^]*? {2}reinvocationPolicy/,
        "  reinvocationPolicy",
      ),
      "error",
      "has no selectors: it is called for every pod in the cluster",
      "outrigger webhook generate | kubectl apply -f -",
    ],
    [
      "pods that start without a sidecar",
      replace("90-webhook.yaml", "failurePolicy: Fail", "failurePolicy: Ignore"),
      "warn",
      "rev.namespace.sidecar-injector.istio.io has failurePolicy Ignore",
      `-p '[{"op":"add","path":"/webhooks/0/failurePolicy","value":"Fail"}]'`,
    ],
    [
      "a long timeout",
      replace("90-webhook.yaml", "timeoutSeconds: 5", "timeoutSeconds: 30"),
      "warn",
      "has timeoutSeconds 30: each pod takes that long to fail",
      `'[{"op":"add","path":"/webhooks/0/timeoutSeconds","value":5}]'`,
    ],
    [
      "side effects",
      replace("90-webhook.yaml", "sideEffects: None", "sideEffects: Some"),
      "error",
      "has sideEffects Some: dry-run requests fail",
      `"value":"None"}]'`,
    ],
    [
      "missing permissions",
      replace("10-access.yaml", "verbs: [patch]", "verbs: [get]"),
      "error",
      "cannot patch mutatingwebhookconfigurations " +
      '"istio-sidecar-injector-outrigger-system": the caBundle is not kept up to date',
      "kubectl create clusterrole " +
      "outrigger-patch-mutatingwebhookconfigurations-istio-sidecar-injector-outrigger-system " +
      "--verb=patch --resource=mutatingwebhookconfigurations.admissionregistration.k8s.io " +
      "--resource-name=istio-sidecar-injector-outrigger-system && kubectl create " +
      "clusterrolebinding",
    ],
    [
      "a tag whose caBundle the injector cannot patch",
      (files) => ({
        ...files,
        "m/91-tag.yaml": files["m/90-webhook.yaml"]
          .replace(/ {2}name: istio-\S+\n/, "  name: istio-revision-tag-prod\n")
          .replaceAll(/istio-injection|kube-system/g, "none"),
      }),
      "error",
      'cannot patch mutatingwebhookconfigurations "istio-revision-tag-prod"',
      "--resource-name=istio-revision-tag-prod",
    ],
    [
      "permissions for another object",
      replace("10-access.yaml", "resourceNames: [outrigger-tls]", "resourceNames: [other]"),
      "error",
      'cannot get, list, watch, update secrets "outrigger-tls" in outrigger-system: ' +
      "the certificate is not maintained (--tls=auto)",
      "kubectl -n outrigger-system create role outrigger-get-secrets-outrigger-tls " +
      "--verb=get,list,watch,update --resource=secrets --resource-name=outrigger-tls && " +
      "kubectl -n outrigger-system create rolebinding outrigger-get-secrets-outrigger-tls " +
      "--role=outrigger-get-secrets-outrigger-tls --serviceaccount=outrigger-system:outrigger",
    ],
    [
      "a config map of another namespace",
      replace("30-deployment.yaml", "-configmap=outrigger\n", "-configmap=istio-system/own\n"),
      "error",
      'cannot list, watch configmaps "own" in istio-system',
      "kubectl -n istio-system create role outrigger-list-configmaps-own --verb=list,watch " +
      "--resource=configmaps --resource-name=own",
    ],
    [
      "optional permissions",
      replace("10-access.yaml", "resources: [nodes]", "resources: [pods]"),
      "warn",
      "cannot list, watch nodes: sidecars are native only with --native-sidecars true",
      "kubectl create clusterrole outrigger-list-nodes --verb=list,watch --resource=nodes &&",
    ],
    [
      "an option's flag without its permission",
      env("PLATFORM", "openshift"),
      "warn",
      "cannot list, watch namespaces: sidecars run with user and group 1337",
      "--verb=list,watch --resource=namespaces",
    ],
    [
      "ProxyConfigs that the injector cannot read",
      (files) => ({
        ...files,
        "m/99.yaml":
          "{apiVersion: networking.istio.io/v1beta1, kind: ProxyConfig, metadata: {name: a}}",
      }),
      "warn",
      "cannot list, watch proxyconfigs: ProxyConfig resources have no effect",
      "--verb=list,watch --resource=proxyconfigs.networking.istio.io",
    ],
    [
      "an unknown argument",
      replace("30-deployment.yaml", "--stamp", "--stmap"),
      "warn",
      'Unknown flag "--stmap"',
      "kubectl -n outrigger-system edit deployment outrigger",
    ],
    [
      "a misspelt label",
      replace("00-namespace.yaml", "istio-injection: disabled", "istio-injecton: disabled"),
      "warn",
      "Namespace outrigger-system: label istio-injecton has no effect: did you mean istio-injection?",
      "kubectl label --overwrite namespace outrigger-system istio-injecton- istio-injection=disabled",
    ],
    [
      "a removed version of webhooks",
      replace("90-webhook.yaml", "k8s.io/v1\n", "k8s.io/v1beta1\n"),
      "error",
      "Kubernetes 1.22 removed admissionregistration.k8s.io/v1beta1",
      "kubectl explain mutatingwebhookconfiguration --api-version=admissionregistration.k8s.io/v1",
    ],
    [
      "a config that does not compile",
      replace("20-config.yaml", "{{- $meta := .ObjectMeta }}", "{{- $meta := nope }}"),
      "error",
      'template: inject:8: function "nope" not defined',
      "outrigger lint config.yaml",
    ],
    [
      "another version",
      replace("30-deployment.yaml", /image: outrigger:\S+/, "image: reg/outrigger:0.0.1"),
      "warn",
      "it runs 0.0.1, but this program is",
      "kubectl -n outrigger-system set image deployment/outrigger outrigger=reg/outrigger:",
    ],
  ];
  test.each(cases)("reports %s", async (_, change, level, line, fix) => {
    const { code, out } = await run(change);
    const lines = out.split("\n");
    const index = lines.findIndex((one) => one.startsWith(level) && one.includes(line));
    expect({ out, found: index >= 0 }).toEqual({ out, found: true });
    expect(lines[index + 1]).toStartWith("       ");
    expect(lines[index + 1]).toContain(fix);
    expect(code).toBe(level === "error" ? 1 : 0);
  });

  test("-o json prints all findings", async () => {
    const { code, out } = await run(without("90-webhook.yaml"), "-o json");
    const { ok, warnings, errors, findings, unseen } = JSON.parse(out);
    expect({ code, warnings, errors, unseen }).toEqual({
      ...{ code: 1, warnings: 0, errors: 1, unseen: [] },
    });
    expect(findings.length).toBe(ok + 1);
    expect(findings[0]).toEqual({
      check: "webhook",
      level: "error",
      about: "MutatingWebhookConfiguration",
      what: "no configuration calls an injector: no pod is injected",
      fix: "outrigger webhook generate | kubectl apply -f -",
    });
    expect((await run(undefined, "-o yaml")).out).toStartWith("errors: 0\nfindings:\n");
  });
});
