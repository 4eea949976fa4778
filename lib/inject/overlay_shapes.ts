/**
 * From what a template printed to the overlay, without reading the same YAML again and again: outputs
 * with the same trace have one shape (lib/yaml/shape.ts), and only their values are filled in.
 *
 * What comes out is what parsing gives, always: a shape that does not fit says so, and the text is
 * parsed. Overlays share parts with each other; nobody changes them.
 */
import { BoundedCache } from "../data/bounded_cache.ts";
import { compileYamlShape, type YamlShape } from "../yaml/mod.ts";
import type { NormaliseMemo } from "../kube/normalise.ts";
import type { Recording } from "../go/template/mod.ts";

export type Overlay = Record<string, unknown>;

/** What is known of outputs with one trace, or with one trace and the same fixed values. */
type Known =
  /** It was there once. Most that comes once never comes again, so nothing is made of it yet. */
  | "seen"
  /** Nothing can be filled in. */
  | "shapeless"
  /** Places of the values that are part of the shape. */
  | readonly number[]
  | YamlShape;

/**
 * For one template. A shape of the sidecar's overlay takes some 100 KB, so this holds those of twenty
 * ways through a template that are all in use, and as many again that were.
 */
const MAX_BYTES = 4 * 1024 * 1024;

/** What a shape takes for each character of its text, measured: the document, its copy, and the slots. */
const BYTES_PER_CHARACTER = 16;

/** A larger output costs more to keep than to read. */
const MAX_LENGTH = 64 * 1024;

export class OverlayShapes {
  /** What parts of overlays are in their normal form: most are parts of the next overlay, too. */
  readonly normal: NormaliseMemo = new WeakMap();
  readonly #known = new BoundedCache<Known>(MAX_BYTES);

  /** The overlay of an output; `parse` reads it, where that is needed. */
  overlay(output: Recording, parse: () => Overlay | undefined): Overlay | undefined {
    const { trace, values } = output;
    if (trace === undefined) return parse();
    const fixed = this.#known.get(trace);
    if (Array.isArray(fixed)) {
      const shape = this.#known.get(variant(trace, values, fixed));
      const overlay = typeof shape === "object" && "fill" in shape ? shape.fill(values) : undefined;
      if (overlay !== undefined) return overlay;
    }
    const overlay = parse();
    if (overlay !== undefined) this.#learn(trace, output);
    return overlay;
  }

  /** Takes note of an output that could be parsed and had no shape that fits. */
  #learn(trace: string, output: Recording): void {
    const fixed = this.#known.get(trace);
    const places = Array.isArray(fixed) ? fixed as readonly number[] : undefined;
    const key = places === undefined ? trace : variant(trace, output.values, places);
    const known = places === undefined ? fixed : this.#known.get(key);
    if (known === undefined) return this.#known.set(key, "seen", 0);
    if (known !== "seen") return;
    const { length } = output.text;
    const shape = length > MAX_LENGTH ? undefined : compileYamlShape(output);
    if (shape === undefined) return this.#known.set(key, "shapeless", 0);
    // Where fewer places are fixed, an earlier output had odd values in them; those don't decide for
    // the others. And an output with odd values does not take the place of one without.
    if (places !== undefined && shape.fixed.some((place) => !places.includes(place))) return;
    if (places === undefined || shape.fixed.length < places.length) {
      this.#known.set(trace, shape.fixed, shape.fixed.length * 8);
    }
    const bytes = length * BYTES_PER_CHARACTER;
    this.#known.set(variant(trace, output.values, shape.fixed), shape, bytes);
  }
}

/** Nothing rests on keys being told apart: a shape looks at its fixed values itself. */
function variant(trace: string, values: readonly string[], fixed: readonly number[]): string {
  return [trace, "", ...fixed.map((place) => values[place])].join("\0");
}
