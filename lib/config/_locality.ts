/** Validates the mesh config's locality load balancing, with Istio's messages. */
import { compareStrings } from "../data/bytes.ts";
import { type Failure, joinFailures } from "./multi_error.ts";
import type { MessageJson } from "./proto_json.ts";

const TOPOLOGY_LABELS: ReadonlySet<string> = new Set([
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
  "topology.istio.io/subzone",
]);

export interface Failover {
  readonly from?: string;
  readonly to?: string;
}

interface LocalitySetting extends MessageJson {
  readonly distribute?: readonly {
    readonly from?: string;
    readonly to?: Readonly<Record<string, number>>;
  }[];
  readonly failover?: readonly Failover[];
  readonly failoverPriority?: readonly string[];
}

export function checkLocalitySetting(setting: LocalitySetting | undefined): Failure | undefined {
  const { distribute = [], failover = [], failoverPriority = [] } = setting ?? {};
  if (distribute.length > 0 && failover.length > 0) {
    return "can not simultaneously specify 'distribute' and 'failover'";
  }
  const topology = failoverPriority.find((label) => TOPOLOGY_LABELS.has(label));
  if (failover.length > 0 && topology !== undefined) {
    return "can not simultaneously set 'failover' and topology label " +
      `'${topology}' in 'failover_priority'`;
  }
  const failures: (Failure | undefined)[] = [];
  for (const { to = {} } of distribute) {
    const weights = Object.values(to);
    if (weights.some((weight) => weight <= 0 || weight > 100)) {
      return joinFailures([...failures, "locality weight must be in range [1, 100]"]);
    }
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    if (total !== 100) {
      return joinFailures([...failures, `total locality weight ${total} != 100`]);
    }
    // Istio iterates its map in random order; sort for stable output.
    failures.push(checkLocalities(Object.keys(to).sort(compareStrings)));
  }
  failures.push(checkLocalities(distribute.map(({ from = "" }) => from)));
  failures.push(
    ...checkFailover(failover, {
      same: "locality lb failover settings must specify different regions",
      slash: "locality lb failover only specify region",
      star: "locality lb failover region should not contain '*' wildcard",
    }),
  );
  return joinFailures(failures);
}

interface ZoneAwareSetting extends MessageJson {
  readonly failover?: readonly Failover[];
  readonly failoverPriority?: readonly string[];
}

export function checkZoneAwareSetting(setting: ZoneAwareSetting | undefined): Failure | undefined {
  const { failover = [], failoverPriority = [] } = setting ?? {};
  return joinFailures([
    ...failoverPriority.filter((label) => TOPOLOGY_LABELS.has(label)).map((label) =>
      `'failover_priority' for zone aware lb must not use topology label '${label}'; ` +
      "region- and zone-level routing are handled automatically"
    ),
    ...checkFailover(failover, {
      same: "zone aware lb failover settings must specify different regions",
      slash: "zone aware lb failover only specifies region; zone and subzone failover are " +
        "handled automatically",
      star: "zone aware lb failover region should not contain '*' wildcard",
    }),
  ]);
}

function checkFailover(
  failover: readonly Failover[],
  texts: { readonly same: string; readonly slash: string; readonly star: string },
): string[] {
  return failover.flatMap(({ from = "", to = "" }) => [
    ...(from === to ? [texts.same] : []),
    ...((from + to).includes("/") ? [texts.slash] : []),
    ...((from + to).includes("*") ? [texts.star] : []),
  ]);
}

/** Rejects localities (`region`, `region/zone` or `region/zone/subzone`) that overlap. */
function checkLocalities(localities: readonly string[]): string | undefined {
  const seen: string[][] = [];
  for (const locality of localities) {
    if (/\*./s.test(locality)) {
      return `locality ${locality} wildcard '*' number can not exceed 1 and must be in the end`;
    }
    const overlaps = `locality ${locality} overlap with previous specified ones`;
    if (seen.some((parts) => parts.length === 1 && parts[0] === "*")) return overlaps;
    const parts = splitLocality(locality);
    if (parts.includes("")) {
      return `locality ${locality} must not contain empty region/zone/subzone info`;
    }
    if (seen.some((other) => overlap(parts, other))) return overlaps;
    seen.push(parts);
  }
  return undefined;
}

/** Splits a locality; everything after the second slash is the subzone. */
function splitLocality(locality: string): string[] {
  const [region, zone, ...rest] = locality.split("/");
  if (zone === undefined) return [region];
  return rest.length === 0 ? [region, zone] : [region, zone, rest.join("/")];
}

function overlap(later: readonly string[], earlier: readonly string[]): boolean {
  if (later[0] !== earlier[0]) return false;
  // A region overlaps every locality inside it, whichever was specified first.
  if (later.length === 1 || earlier.length === 1 || earlier[1] === "*") return true;
  if (later[1] !== earlier[1]) return false;
  if (later.length === 2 || earlier.length === 2) return true;
  return earlier[2] === "*" || later[2] === earlier[2];
}
