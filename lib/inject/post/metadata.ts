/** Sets the labels and annotations of an injected pod. */
import { NETWORK_LABEL, NETWORK_VARIABLE, STATUS } from "../names.ts";
import { lookup, type Pod, type StringMap, withMeta } from "../pod.ts";

export interface MetadataOptions {
  /** The text of the status annotation. */
  readonly status: string;
  readonly proxyEnv: StringMap;
  readonly injectedAnnotations: StringMap;
}

export function setMetadata(pod: Pod, options: MetadataOptions): Pod {
  const network = lookup(options.proxyEnv, NETWORK_VARIABLE);
  return withMeta(pod, {
    labels: {
      ...pod.metadata.labels,
      ...(network === undefined ? {} : { [NETWORK_LABEL]: network }),
    },
    annotations: {
      ...pod.metadata.annotations,
      [STATUS]: options.status,
      ...options.injectedAnnotations,
    },
  });
}
