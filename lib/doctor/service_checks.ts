/** Checks that the API server can reach the injector: Service, ports, Deployments, endpoints. */

import {
  type DoctorFacts,
  nameOf,
  type ObjectLike,
  replicasOf,
  servedBy,
  serviceOf,
  type Target,
  targetsOf,
  templateOf,
} from "./facts.ts";
import { type Finding, Report } from "./finding.ts";

interface ServicePort {
  readonly name?: string;
  readonly port?: number;
  readonly targetPort?: number | string;
}

export function checkServices(facts: DoctorFacts): Finding[] {
  return targetsOf(facts).flatMap((target) => {
    const about = `Service ${target.namespace}/${target.name}`;
    const report = new Report("service", about);
    const service = serviceOf(target, facts);
    if (service === undefined) {
      report.error(
        "the webhook calls it, but it does not exist",
        `kubectl -n ${target.namespace} get services; outrigger webhook generate --help`,
      );
      return report.orOk("");
    }
    const behind = servedBy(service, facts.deployments);
    const port = checkPort(service, { target, behind, report });
    if (port !== undefined && behind.length > 0) {
      checkTargetPort(port, { target, behind, report });
    }
    return [
      ...report.orOk(`port ${target.port} reaches ${behind.map(nameOf).join(", ") || "its pods"}`),
      ...checkEndpoints(service, { facts, behind }),
    ];
  });
}

function portsOf({ spec }: ObjectLike): readonly ServicePort[] {
  return ((spec ?? {}) as { ports?: readonly ServicePort[] }).ports ?? [];
}

interface PortCheck {
  readonly target: Target;
  readonly behind: readonly ObjectLike[];
  readonly report: Report;
}

function checkPort(
  service: ObjectLike,
  { target: { namespace, name, port }, behind, report }: PortCheck,
): ServicePort | undefined {
  const found = portsOf(service).find((one) => one.port === port);
  if (found === undefined) {
    const has = portsOf(service).map((one) => one.port).join(", ") || "none";
    const value = { name: `webhook-${port}`, port, targetPort: webhookPort(behind) ?? port };
    const patch = JSON.stringify([{ op: "add", path: "/spec/ports/-", value }]);
    report.error(
      `the webhook calls port ${port}, but the Service has ${has}`,
      `kubectl -n ${namespace} patch service ${name} --type=json -p '${patch}'`,
    );
  }
  return found;
}

/** Returns the pods' port that probably serves the webhook. */
function webhookPort(behind: readonly ObjectLike[]): string | number | undefined {
  const ports = behind.flatMap((one) => templateOf(one).spec?.containers ?? [])
    .flatMap(({ ports = [] }) => ports);
  const port = ports.find(({ name }) => name?.startsWith("https")) ?? ports.at(0);
  return port?.name ?? port?.containerPort;
}

function checkTargetPort(
  { port, targetPort = port }: ServicePort,
  { target, behind, report }: PortCheck,
): void {
  for (const deployment of behind) {
    const ports = templateOf(deployment).spec?.containers?.flatMap(({ ports = [] }) => ports) ?? [];
    const isThere = ports.some(({ name, containerPort }) =>
      typeof targetPort === "string" ? name === targetPort : containerPort === targetPort
    );
    // A port number need not be declared in the pod; a port name must be.
    if (isThere || (typeof targetPort !== "string" && ports.length === 0)) continue;
    const has = ports.map(({ name, containerPort }) => name ?? containerPort).join(", ") || "none";
    report.error(
      `Deployment ${nameOf(deployment)} has no port ${targetPort} (targetPort), only ${has}`,
      `kubectl -n ${target.namespace} edit service ${target.name}`,
    );
  }
}

function checkEndpoints(
  service: ObjectLike,
  { facts, behind }: { facts: DoctorFacts; behind: readonly ObjectLike[] },
): Finding[] {
  const { namespace, name } = service.metadata;
  const report = new Report("endpoints", `Service ${namespace}/${name}`);
  const workload = behind.at(0);
  const scale = `kubectl -n ${namespace} scale deployment/${
    workload?.metadata.name ?? name
  } --replicas=2`;
  if (!facts.isLive) {
    if (workload === undefined) {
      report.error(
        "it selects the pods of no Deployment in these manifests",
        `kubectl -n ${namespace} get deployments --show-labels`,
      );
      return report.orOk("");
    }
    const replicas = behind.reduce((sum, one) => sum + replicasOf(one), 0);
    if (replicas < 2) {
      report.warn(`${replicas} replica: no pods can start while it is rescheduled`, scale);
    }
    return report.orOk(`${replicas} replicas`);
  }
  if (facts.slices === undefined) return [];
  interface Endpoint {
    readonly conditions?: { readonly ready?: boolean };
  }
  const endpoints = facts.slices
    .filter(({ metadata: { namespace: home, labels } }) =>
      home === namespace && labels?.["kubernetes.io/service-name"] === name
    )
    .flatMap(({ endpoints }) => Array.isArray(endpoints) ? endpoints as Endpoint[] : []);
  // An unset condition means ready.
  const ready = endpoints.filter(({ conditions }) => conditions?.ready ?? true).length;
  if (ready === 0) {
    report.error(
      endpoints.length === 0
        ? "no injector is available: the Service has no endpoints"
        : `no injector is available: none of ${endpoints.length} endpoints is ready`,
      `kubectl -n ${namespace} describe pods; kubectl -n ${namespace} logs deployment/${
        workload?.metadata.name ?? name
      }`,
    );
  } else if (ready === 1) {
    report.warn("only one endpoint is ready: no pods can start while it is rescheduled", scale);
  }
  return report.orOk(`${ready} of ${endpoints.length} endpoints are ready`);
}
