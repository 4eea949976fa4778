/** The README's commands for a cluster: few, and about what manifests/ really has. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { ROOT } from "./_generated.ts";
import { only, readManifests } from "./_objects.ts";

const section = readFileSync(join(ROOT, "README.md"), "utf8")
  .split("\n## In a cluster\n")[1].split("\n## ")[0];
const [install, uninstall] = [...section.matchAll(/^```sh\n([^]*?)^```/gm)]
  .map(([, text]) => text.trim().split("\n").map((line) => line.replace(/ +#.*/, "")));
const objects = readManifests();

describe("In a cluster", () => {
  test("takes five commands or fewer, and two to undo", () => {
    expect(install.length).toBeLessThanOrEqual(5);
    expect(uninstall.length).toBe(2);
  });

  test("the image has this version everywhere", () => {
    const tags = [...section.matchAll(/outrigger:(\d[\w.]*)/g)].map(([, version]) => version);
    expect(new Set(tags)).toEqual(new Set([config.version]));
    expect(config.tasks.image.command).toContain(`--manifest=outrigger:${config.version} `);
    const containerfile = readFileSync(join(ROOT, "Containerfile"), "utf8");
    expect(containerfile).toContain(`ARG VERSION=${config.version}\n`);
  });

  test("names what is there", () => {
    const { metadata, spec } = only(objects, "Deployment") as unknown as {
      metadata: { name: string; namespace: string };
      spec: { template: { spec: { containers: { name: string }[] } } };
    };
    const [container] = spec.template.spec.containers;
    const set = `kubectl -n ${metadata.namespace} set image deployment/${metadata.name} ` +
      `${container.name}=`;
    expect(install.some((line) => line.startsWith(set))).toBe(true);
    for (const line of [...install, ...uninstall]) {
      for (const [, path] of line.matchAll(/-f (\S+)/g)) {
        expect(existsSync(join(ROOT, path))).toBe(true);
      }
    }
    const [, task] = / task (\S+)/.exec(install[0])!;
    expect(Object.keys(config.tasks)).toContain(task);
  });

  test("the webhook goes first, by a label that it has and a tag of it inherits", () => {
    const [, key, value] = /mutatingwebhookconfigurations -l (\S+)=(\S+)$/.exec(uninstall[0])!;
    const { labels } = only(objects, "MutatingWebhookConfiguration").metadata;
    expect(labels).toMatchObject({ [key]: value });
  });
});
