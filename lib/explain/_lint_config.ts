/** Checks the config itself: policy, selectors, template names and deprecated fields. */
import { compileLabelSelector, ConfigError, parseInjectionConfig } from "../config/mod.ts";
import { isMap } from "../data/map.ts";
import { parseYaml, stringifyYaml, type YamlPath } from "../yaml/mod.ts";
import { ConfigPlaces } from "./_config_places.ts";
import type { Finding } from "./lint.ts";

/** A template and its path in the config. */
export interface ConfigTemplate {
  /** "" for the template of a legacy config. */
  readonly name: string;
  readonly text: string;
  readonly path: YamlPath;
}

export interface LintedConfig {
  readonly findings: readonly Finding[];
  readonly templates: readonly ConfigTemplate[];
  readonly places: ConfigPlaces;
  /** The config without policy and selectors that would keep pods from being injected. */
  readonly runnable: string;
}

/** Throws a ConfigError if the injector could not load the text. */
export function lintConfig(
  text: string,
  { file, isBare }: { file: string; isBare: boolean },
): LintedConfig {
  const config = parseInjectionConfig(text);
  const raw = parseYaml(text);
  const places = new ConfigPlaces(isBare ? "" : text);
  const findings: Finding[] = [];
  const tell = (
    path: YamlPath,
    finding: Pick<Finding, "severity" | "id" | "message" | "fix">,
  ) => void findings.push({ ...finding, file, ...places.at(path) });

  if (config.policy !== "enabled" && config.policy !== "disabled") {
    tell(["policy"], {
      severity: "error",
      id: "policy_illegal",
      message: config.policy === ""
        ? "The policy is missing, so no pod is injected."
        : `The policy is ${JSON.stringify(config.policy)} is not valid, so no pod is injected.`,
      fix: "Set policy to enabled or disabled.",
    });
  }
  for (const name of ["neverInjectSelector", "alwaysInjectSelector"] as const) {
    const selectors = isMap(raw) && Array.isArray(raw[name]) ? raw[name] : [];
    for (const [i, selector] of selectors.entries()) {
      const problem = selectorProblem(selector);
      if (problem !== undefined) tell([name, i], problem);
    }
  }
  const known = Object.keys(config.templates);
  const isLegacy = config.legacyTemplate !== undefined;
  const there = known.length === 0
    ? "The config has no templates."
    : `Available templates: ${known.join(", ")}.`;
  const check = (names: readonly string[], what: string, path: YamlPath) => {
    for (const [i, name] of names.entries()) {
      const isKnown = known.includes(name) || Object.hasOwn(config.aliases, name);
      if (isKnown || isLegacy) continue;
      tell([...path, i], {
        severity: "error",
        id: "unknown_template",
        message: `${what} names the template ${
          JSON.stringify(name)
        }, which the config does not have.`,
        fix: there,
      });
    }
  };
  check(config.defaultTemplates, "defaultTemplates", ["defaultTemplates"]);
  for (const [alias, names] of Object.entries(config.aliases)) {
    check(names, `The alias ${JSON.stringify(alias)}`, ["aliases", alias]);
  }
  if (known.length === 0 && !isLegacy) {
    tell([], {
      severity: "error",
      id: "no_templates",
      message: "The config has no templates.",
      fix: "Add templates under the key templates. To lint a ConfigMap, " +
        "pass the text of its data.config.",
    });
  }
  if (isLegacy) {
    tell(["template"], {
      severity: "info",
      id: "deprecated",
      message: "The key template is deprecated since Istio 1.8.",
      fix: "It still works here. Newer versions of Istio need named templates under templates.",
    });
  }
  return {
    findings,
    places,
    templates: isLegacy
      ? [{ name: "", text: config.legacyTemplate!, path: ["template"] }]
      : Object.entries(config.templates).map(([name, text]) => ({
        name,
        text,
        path: ["templates", name],
      })),
    runnable: stringifyYaml({
      ...(isMap(raw) ? raw : {}),
      policy: "enabled",
      neverInjectSelector: [],
      alwaysInjectSelector: [],
    }),
  };
}

function selectorProblem(
  selector: unknown,
): Pick<Finding, "severity" | "id" | "message" | "fix"> | undefined {
  try {
    if (!compileLabelSelector(isMap(selector) ? selector : {}).isEmpty) return undefined;
    return {
      severity: "warning",
      id: "selector_empty",
      message: "The selector is empty and matches no pod.",
      fix: "Add matchLabels or matchExpressions, or remove the selector.",
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      severity: "error",
      id: "selector_invalid",
      message: `The selector is not valid and is ignored: ${error.original}.`,
      fix: "Use valid label keys and values, and the operators In, NotIn, Exists and DoesNotExist.",
    };
  }
}
