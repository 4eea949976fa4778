/** Ordinary pods with odd values in a few of the places that templates read. */
import { type Place, placesOf, plainPod } from "../attack/_places.ts";
import { FRAGMENTS, HOSTILE_VALUES } from "../attack/_values.ts";
import type { Json } from "./_containers.ts";
import type { Random } from "./_random.ts";

const places = new Map<string, readonly Place[]>();

export function oddPod(random: Random, config: string): Json {
  let known = places.get(config);
  if (known === undefined) places.set(config, known = placesOf({ config }));
  const pod = plainPod();
  for (let count = random.pick([1, 1, 2, 3]); count > 0; count--) {
    // Proxy config has hundreds of places, and owners one: neither must crowd out the other.
    const kind = random.pick([/^proxy config/, /^annotation/, /^(?!proxy config|annotation)/]);
    const place = random.pick(known.filter(({ name }) => kind.test(name)));
    place.put(pod, random.chance(0.5) ? random.pick(HOSTILE_VALUES) : oddText(random));
  }
  // JSON has no way to say half a surrogate pair that Go would read.
  return JSON.parse(JSON.stringify(pod).replaceAll(/\\\\ud[89a-f]\w\w/g, "x")) as Json;
}

function oddText(random: Random): string {
  return Array.from({ length: random.int(1, 5) }, () => random.pick(FRAGMENTS)).join("");
}
