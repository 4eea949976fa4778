/** The config's own text: policy, selectors, names of templates, and what is no longer done. */
import { compileLabelSelector, ConfigError, parseInjectionConfig } from "../config/mod.ts";
import { isMap } from "../data/map.ts";
import { parseYaml, stringifyYaml, type YamlPath } from "../yaml/mod.ts";
import { ConfigPlaces } from "./_config_places.ts";
import type { Finding } from "./lint.ts";

/** A template, and where its text is. */
export interface ConfigTemplate {
  /** "" for the one of the old era. */
  readonly name: string;
  readonly text: string;
  readonly path: YamlPath;
}

export interface LintedConfig {
  readonly findings: readonly Finding[];
  readonly templates: readonly ConfigTemplate[];
  readonly places: ConfigPlaces;
  /** The same config with nothing in it that could keep a pod from its templates. */
  readonly runnable: string;
}

/** Throws a ConfigError for a text that the injector could not read. */
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
        ? "There is no policy, and so no pod is injected."
        : `The policy is ${JSON.stringify(config.policy)}, and so no pod is injected.`,
      fix: "Write policy: enabled or policy: disabled.",
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
  const there = known.length === 0 ? "It has none." : `There are: ${known.join(", ")}.`;
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
      fix:
        "Templates stand under templates, one of the old era under template. Of a whole ConfigMap, " +
        "lint the text under data.config.",
    });
  }
  if (isLegacy) {
    tell(["template"], {
      severity: "info",
      id: "deprecated",
      message: "One template under template: is how Istio did it until 1.8.",
      fix: "It goes on working here. Today's Istio wants templates: with a name each.",
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
      message: "The selector demands nothing; such a one matches no pod here.",
      fix: "Give it matchLabels or matchExpressions, or take it out.",
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      severity: "error",
      id: "selector_invalid",
      message: `The selector is none that Kubernetes takes, and is passed over: ${error.original}.`,
      fix: "Keys and values are those of labels; operators In, NotIn, Exists, DoesNotExist.",
    };
  }
}
