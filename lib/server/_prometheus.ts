/**
 * The parts of prom-client that are used, one by one: the package's own door also loads clustering, a push
 * client and what those load, which a start would have to wait for.
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
