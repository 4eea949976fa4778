/** Returns the built-in mesh and proxy config, which had more fields set in old versions. */
import { defaultMeshConfig, type MeshConfig, type ProxyConfig } from "../config/mod.ts";
import type { Behaviours } from "./compat.ts";

export function meshDefaults(behaviours: Behaviours): MeshConfig {
  const today = defaultMeshConfig();
  return { ...today, defaultConfig: proxyDefaults(today.defaultConfig, behaviours) };
}

function proxyDefaults(today: ProxyConfig, behaviours: Behaviours): ProxyConfig {
  return {
    ...today,
    ...(behaviours.parentShutdown ? { parentShutdownDuration: "60s" } : {}),
    ...(behaviours.defaultTwoWorkers ? { concurrency: 2 } : {}),
    ...(behaviours.defaultZipkin
      ? { tracing: { zipkin: { address: "zipkin.istio-system:9411" } } }
      : {}),
  };
}
