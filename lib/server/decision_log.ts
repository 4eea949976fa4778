/** Logs one line per decision and, at debug level, the two lines that Istio's injector logs. */

import type { AdmissionRequest, ReviewOutcome } from "../admission/mod.ts";
import { compareStrings } from "../data/bytes.ts";
import type { Logger } from "./log.ts";

export function logDecision(log: Logger, outcome: ReviewOutcome, milliseconds: number): void {
  const { request, decision, reason, podName, templates, operations, warnings, message } = outcome;
  if (request !== undefined && log.isOn("debug")) log.debug(reviewLine(request, podName));
  const fields = {
    namespace: request?.namespace ?? "",
    pod: podName,
    uid: request?.uid ?? "",
    decision,
    reason,
    ...(decision === "injected" ? { templates, operations } : {}),
    ms: Math.round(milliseconds * 1000) / 1000,
    ...(request?.dryRun ? { dryRun: true } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(message === undefined ? {} : { error: message }),
  };
  if (decision === "denied") log.error("pod denied", fields);
  else log.info(`pod ${decision}`, fields);
  if (outcome.patch !== undefined && log.isOn("debug")) {
    log.debug(`AdmissionResponse: patch=${outcome.patch}`);
  }
}

/** Formats a request as Go prints Istio's structs. */
function reviewLine(request: AdmissionRequest, podName: string): string {
  const { kind, namespace = "", name = "", uid = "", operation = "", userInfo } = request;
  const gvk = `${kind?.group ?? ""}/${kind?.version ?? ""}, Kind=${kind?.kind ?? ""}`;
  const extra = Object.entries(userInfo?.extra ?? {}).toSorted(([a], [b]) => compareStrings(a, b))
    .map(([key, values]) => `${key}:[${(values ?? []).join(" ")}]`);
  const user = `{${userInfo?.username ?? ""} ${userInfo?.uid ?? ""} ` +
    `[${(userInfo?.groups ?? []).join(" ")}] map[${extra.join(" ")}]}`;
  return `AdmissionReview for Kind=${gvk} Namespace=${namespace} Name=${name} (${podName}) ` +
    `UID=${uid} Rfc6902PatchOperation=${operation} UserInfo=${user}`;
}
