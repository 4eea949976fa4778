/**
 * The parts of prom-client in use, imported one by one. The package's main module also loads
 * clustering and a push client, which would slow down every start.
 */
import type * as prometheus from "prom-client";
import counter from "prom-client/lib/counter.js";
import gauge from "prom-client/lib/gauge.js";
import histogram from "prom-client/lib/histogram.js";
import registry from "prom-client/lib/registry.js";

export const Counter = counter as typeof prometheus.Counter;
export const Gauge = gauge as typeof prometheus.Gauge;
export const Histogram = histogram as typeof prometheus.Histogram;
export const Registry = registry as typeof prometheus.Registry;
