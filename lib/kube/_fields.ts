/**
 * Typed access to the fields of a kubeconfig. An absent or null field reads as the empty value. A field
 * of the wrong type is an error that names the file and the key.
 */

import { isMap } from "../data/map.ts";
import { KubeconfigError } from "./_access.ts";

export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #file: string;
  readonly #path: string;

  constructor(
    value: unknown,
    { file, path = "" }: { readonly file: string; readonly path?: string },
  ) {
    this.#file = file;
    this.#path = path;
    if (value !== null && value !== undefined && !isMap(value)) {
      throw this.#wrong("", "a map", value);
    }
    this.#values = value ?? {};
  }

  /** The path of the kubeconfig. */
  get file(): string {
    return this.#file;
  }

  text(key: string): string {
    const value = this.get(key);
    if (value === undefined) return "";
    if (typeof value !== "string") throw this.#wrong(key, "a string", value);
    return value;
  }

  flag(key: string): boolean {
    const value = this.get(key) ?? false;
    if (typeof value !== "boolean") throw this.#wrong(key, "true or false", value);
    return value;
  }

  list(key: string): readonly unknown[] {
    const value = this.get(key) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(key, "a list", value);
    return value;
  }

  map(key: string): Fields | undefined {
    const value = this.get(key);
    return value === undefined ? undefined : new Fields(value, this.#at(key));
  }

  maps(key: string): Fields[] {
    return this.list(key).map((value, i) => new Fields(value, this.#at(`${key}[${i}]`)));
  }

  texts(key: string): string[] {
    return this.list(key).map((value, i) => {
      if (typeof value !== "string") throw this.#wrong(`${key}[${i}]`, "a string", value);
      return value;
    });
  }

  keys(): string[] {
    return Object.keys(this.#values);
  }

  /** Returns the text that a base64 field encodes. */
  decoded(key: string): string {
    const base64 = this.text(key).replace(/[\r\n]/g, "");
    if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
      throw new KubeconfigError("malformed", `${this.#where(key)} is not base64`);
    }
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  }

  /** Returns a path, resolved against the directory of the kubeconfig. */
  path(key: string): string {
    const path = this.text(key);
    if (path === "" || path.startsWith("/")) return path;
    return this.#file.slice(0, this.#file.lastIndexOf("/") + 1) + path;
  }

  /** Returns the untyped value, or undefined if it is absent or null. */
  get(key: string): unknown {
    return Object.hasOwn(this.#values, key) ? this.#values[key] ?? undefined : undefined;
  }

  #wrong(key: string, wanted: string, value: unknown): KubeconfigError {
    const type = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
    const given = type === "object" ? "map" : type;
    return new KubeconfigError(
      "malformed",
      `${this.#where(key)} must be ${wanted}, current type is ${given}`,
    );
  }

  #at(key: string): { file: string; path: string } {
    return { file: this.#file, path: this.#path === "" ? key : `${this.#path}.${key}` };
  }

  #where(key: string): string {
    const { path } = key === "" ? { path: this.#path } : this.#at(key);
    const what = path === "" ? "it" : `key "${path}"`;
    return `Cannot use kubeconfig ${JSON.stringify(this.#file)}: ${what}`;
  }
}
