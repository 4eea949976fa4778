/**
 * Converts a template's output to an overlay without parsing similar YAML repeatedly: outputs with the same
 * trace have one shape (lib/yaml/shape.ts), in which only the values are replaced.
 *
 * The result always equals parsing: if a shape does not fit, the text is parsed. Overlays share parts with
 * each other and must not be modified.
 */
import { BoundedCache } from "../data/bounded_cache.ts";
import { compileYamlShape, type YamlShape } from "../yaml/mod.ts";
import type { NormaliseMemo } from "../kube/normalise.ts";
import type { Recording } from "../go/template/mod.ts";

export type Overlay = Record<string, unknown>;

/** What is known of outputs with one trace, or with one trace and the same fixed values. */
type Known =
  /** Seen once. Most traces never repeat, so compile a shape only on the second occurrence. */
  | "seen"
  /** The output has no values to replace. */
  | "shapeless"
  /** Indexes of the values that are part of the shape. */
  | readonly number[]
  | YamlShape;

/**
 * Limits the cache of one template. A shape of the sidecar's overlay takes about 100 KB, so this holds
 * twenty paths through a template in use, and as many old ones.
 */
const MAX_BYTES = 4 * 1024 * 1024;

/** The measured size of a shape per character of its text: the document, its copy, and the slots. */
const BYTES_PER_CHARACTER = 16;

/** A larger output costs more to keep than to parse. */
const MAX_LENGTH = 64 * 1024;

export class OverlayShapes {
  /** Caches normalised parts of overlays, most of which recur in the next overlay. */
  readonly normal: NormaliseMemo = new WeakMap();
  readonly #known = new BoundedCache<Known>(MAX_BYTES);

  /** Returns the overlay of an output, calling `parse` only if no shape fits. */
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

  /** Records an output that was parsed because no shape fits. */
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
    // If an earlier output had fewer fixed places, this output has odd values in the others; it must not
    // replace the shape without odd values.
    if (places !== undefined && shape.fixed.some((place) => !places.includes(place))) return;
    if (places === undefined || shape.fixed.length < places.length) {
      this.#known.set(trace, shape.fixed, shape.fixed.length * 8);
    }
    const bytes = length * BYTES_PER_CHARACTER;
    this.#known.set(variant(trace, output.values, shape.fixed), shape, bytes);
  }
}

/** Keys need not be distinct: a shape checks its fixed values itself. */
function variant(trace: string, values: readonly string[], fixed: readonly number[]): string {
  return [trace, "", ...fixed.map((place) => values[place])].join("\0");
}
