/** Pods created all the while, at a steady rate, and what became of each. */

import type { KubeClient } from "../../lib/kube/client.ts";
import { sidecarOf, tryPod } from "./_pods.ts";

export interface PodStream {
  /** Ends it, once every pod has its answer. */
  end(): Promise<{ readonly pods: number; readonly failures: readonly string[] }>;
}

export const PODS_A_SECOND = 20;

export function createPods(client: KubeClient, namespace: string): PodStream {
  const failures: string[] = [];
  const pending = new Set<Promise<void>>();
  let pods = 0;
  const create = async () => {
    const at = new Date().toISOString();
    const name = `pod-${++pods}`;
    try {
      const pod = await tryPod(client, { namespace, name });
      if (sidecarOf(pod) === undefined) failures.push(`${at} not injected`);
    } catch (error) {
      failures.push(`${at} ${error instanceof Error ? error.message : error}`);
    }
  };
  const began = performance.now();
  // As many as are due: timers are late on a busy machine.
  const timer = setInterval(() => {
    while (pods < (performance.now() - began) / 1000 * PODS_A_SECOND) {
      const one = create().finally(() => pending.delete(one));
      pending.add(one);
    }
  }, 1000 / PODS_A_SECOND);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(pending);
      return { pods, failures };
    },
  };
}
