/** `outrigger render`: renders a Go template with the functions that injection templates can call. */

import { sprigFunctions } from "../go/sprig/mod.ts";
import { toBytes } from "../data/bytes.ts";
import {
  compileTemplate,
  type Node,
  printNode,
  TemplateError,
  templateTokens,
} from "../go/template/mod.ts";
import type { FunctionMap } from "../go/value.ts";
import { parseYaml } from "../yaml/mod.ts";
import { createSprigHost, type Host } from "../host/mod.ts";
import { injectionFunctions } from "../inject/mod.ts";
import { defineCommand, UsageError } from "./command.ts";

export const render = defineCommand({
  name: "render",
  summary: "render a Go template with sprig and the injection functions",
  usage: "--template FILE [--data FILE] [flags]",
  description:
    "Renders a Go text/template as an injector would. Data is JSON or YAML; without it, dot " +
    "is nil. The file name - means standard input.\n\n" +
    "Templates can read only the environment variables that --allow-env names.",
  flags: [
    {
      name: "template",
      short: "t",
      type: "string",
      value: "FILE",
      description: "template to render",
    },
    {
      name: "data",
      short: "d",
      type: "string",
      value: "FILE",
      description: "data for the template (dot), as JSON or YAML",
    },
    {
      name: "left-delim",
      aliases: ["left"],
      type: "string",
      value: "TEXT",
      description: "left delimiter",
      default: "{{",
    },
    {
      name: "right-delim",
      aliases: ["right"],
      type: "string",
      value: "TEXT",
      description: "right delimiter",
      default: "}}",
    },
    {
      name: "missingkey",
      type: "string",
      value: "MODE",
      description: "what to do if a map has no such key, as in Go",
      choices: ["default", "zero", "error"],
      default: "default",
    },
    {
      name: "functions",
      type: "string",
      value: "SET",
      description: "functions to provide in addition to Go's built-ins",
      choices: ["all", "sprig", "none"],
      default: "all",
    },
    {
      name: "allow-env",
      type: "list",
      value: "NAME",
      description: "environment variable that the template may read",
    },
    {
      name: "tokens",
      type: "boolean",
      description: "print the tokens of the template, one per line, instead of rendering it",
    },
    {
      name: "ast",
      type: "boolean",
      description: "print the parsed template instead of rendering it",
    },
  ],
  positionals: [],
  examples: [
    { line: "outrigger render -t pod.tpl -d values.yaml", note: "render a template with data" },
    {
      line:
        "outrigger render -t legacy.tpl --left-delim '[[' --right-delim ']]' --missingkey error -d data.json",
      note: "use the delimiters of Istio 1.1, and fail on missing keys",
    },
    { line: "outrigger render -t pod.tpl --ast", note: "show how the template is parsed" },
  ],
  async run({ flags }, host) {
    if (flags.template === undefined) {
      throw new UsageError('Flag "--template" is required. Run "outrigger help render"');
    }
    if (flags.tokens && flags.ast) {
      throw new UsageError(
        'Flags "--tokens" and "--ast" are mutually exclusive. Run "outrigger help render"',
      );
    }
    if (flags.template === "-" && flags.data === "-") {
      throw new UsageError(
        'Only one of "--template" and "--data" can be standard input. Run "outrigger help render"',
      );
    }
    const source = await readInput(flags.template, host);
    const delims = { leftDelim: flags["left-delim"], rightDelim: flags["right-delim"] };
    if (flags.tokens) return await printTokens(source, delims, host);
    try {
      const template = compileTemplate(source, {
        ...delims,
        name: flags.template === "-" ? "stdin" : flags.template.split("/").at(-1)!,
        missingKey: flags.missingkey,
        functions: functionSet(flags.functions, flags["allow-env"], host),
      });
      if (flags.ast) {
        for (const [name, tree] of template.trees) {
          await host.stdout.write(`${JSON.stringify(name)}\n${outline(tree, "  ")}`);
        }
        return 0;
      }
      const data = flags.data === undefined
        ? undefined
        : parseYaml(await readInput(flags.data, host));
      await host.stdout.write(toBytes(template.execute(data)));
      return 0;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const excerpt = error.excerpt();
      await host.stderr.write(`outrigger: ${error.message}\n${excerpt && `${excerpt}\n`}`);
      return 1;
    }
  },
});

function readInput(path: string, host: Host): Promise<string> {
  return path === "-" ? host.stdin.readText() : host.readText(path);
}

function functionSet(
  set: "all" | "sprig" | "none",
  allowed: readonly string[],
  host: Host,
): FunctionMap {
  if (set === "none") return {};
  const env = (name: string) => allowed.includes(name) ? host.env(name) : undefined;
  const sprig = sprigFunctions(createSprigHost(host, { env }));
  return set === "sprig" ? sprig : { ...sprig, ...injectionFunctions({ env }) };
}

async function printTokens(
  source: string,
  delims: { leftDelim: string; rightDelim: string },
  host: Host,
): Promise<number> {
  const tokens = templateTokens(source, delims);
  const width = String(tokens.at(-1)!.line).length;
  const lines = tokens.map(({ type, line, text }) =>
    `${String(line).padStart(width)}  ${type.padEnd(12)}  ${JSON.stringify(text)}\n`
  );
  await host.stdout.write(lines.join(""));
  return tokens.at(-1)!.type === "error" ? 1 : 0;
}

/** Formats a parse tree, one node per line, indented by depth. */
function outline(node: Node, indent: string): string {
  const deeper = `${indent}  `;
  switch (node.type) {
    case "list":
      return node.nodes.map((child) => outline(child, indent)).join("");
    case "text":
      return `${indent}text ${JSON.stringify(node.text)}\n`;
    case "if":
    case "range":
    case "with": {
      const head = `${indent}${node.type} ${printNode(node.pipe)}\n${outline(node.list, deeper)}`;
      return node.elseList ? `${head}${indent}else\n${outline(node.elseList, deeper)}` : head;
    }
    case "action":
      return `${indent}action ${printNode(node.pipe)}\n`;
    case "template": {
      const dot = node.pipe ? ` ${printNode(node.pipe)}` : "";
      return `${indent}template ${JSON.stringify(node.name)}${dot}\n`;
    }
    default:
      return `${indent}${node.type}\n`;
  }
}
