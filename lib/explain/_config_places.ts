/**
 * Locates the keys of an injection config in its file, and offsets in the templates that it holds.
 */
import { type YamlPath, type YamlPlace, yamlPlaces } from "../yaml/mod.ts";

/** A position in a file; lines and columns start at 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
  /** The complete line. */
  readonly sourceLine: string;
}

export class ConfigPlaces {
  readonly #text: string;
  readonly #places: readonly YamlPlace[];

  constructor(text: string) {
    this.#text = text;
    this.#places = yamlPlaces(text);
  }

  /**
   * Returns the position of a key, or of its nearest existing parent. Top-level keys match in any
   * case, as in Go.
   */
  at(path: YamlPath): FilePlace {
    for (let length = path.length; length > 0; length--) {
      const place = this.#find(path.slice(0, length));
      if (place !== undefined) return placeOf(this.#text, place.keyStart);
    }
    return placeOf(this.#text, 0);
  }

  /**
   * Returns the position of an offset in a template, or of the template's key if the file escapes
   * its text.
   */
  inTemplate(path: YamlPath, offset: number, template: string): FilePlace {
    const place = this.#find(path);
    const lineStart = template.lastIndexOf("\n", offset - 1) + 1;
    const line = template.slice(0, lineStart).split("\n").length;
    const column = offset - lineStart + 1;
    const end = template.indexOf("\n", lineStart);
    const own = { line, column, sourceLine: template.slice(lineStart, end < 0 ? undefined : end) };
    if (place === undefined) return own;
    const first = placeOf(this.#text, place.start).line;
    const sourceLine = this.#text.split("\n")[first + line - 2] ?? "";
    const indent = sourceLine.indexOf(own.sourceLine);
    if (!place.isBlock || indent < 0) return placeOf(this.#text, place.keyStart);
    return { line: first + line - 1, column: column + indent, sourceLine };
  }

  #find(path: YamlPath): YamlPlace | undefined {
    const key = (part: string | number) => String(part).toLowerCase();
    return this.#places.find((place) =>
      place.path.length === path.length &&
      place.path.every((part, i) => i > 0 ? part === path[i] : key(part) === key(path[i]))
    );
  }
}

function placeOf(text: string, offset: number): FilePlace {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", start);
  return {
    line: text.slice(0, start).split("\n").length,
    column: offset - start + 1,
    sourceLine: text.slice(start, end < 0 ? undefined : end),
  };
}
