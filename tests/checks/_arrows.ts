/**
 * Who may import whom. The rule is the table "folder | owns | may import" of ARCHITECTURE.md, so that what people
 * read and what is kept are one. Entries of its last column, separated by commas:
 *
 * - `data`: all of that room; `kube/schema`: that file (or folder) of a room only
 * - `host (reload only)`: only for files named `reload…`
 * - `nothing of lib`, `anything`
 *
 * Of the rooms that the document says "are entered by `mod.ts`", other rooms import that file alone.
 */

import { posix } from "node:path";
import { readSource } from "./_source.ts";
import type { Tree } from "./_tree.ts";

export interface Permission {
  /** A room, or a room and what in it; `*` for anything. */
  readonly target: string;
  /** The only files this is for, by the beginning of their name. */
  readonly only?: string;
}

export type Rooms = ReadonlyMap<string, readonly Permission[]>;

/** Each problem a line; none where all arrows are kept. */
export function checkArrows(tree: Tree): string[] {
  const architecture = tree.get("ARCHITECTURE.md");
  if (architecture === undefined) return ["ARCHITECTURE.md: missing"];
  const rooms = readRooms(architecture);
  if (rooms.size === 0) {
    return ["ARCHITECTURE.md: no table with the columns folder, owns, may import"];
  }
  const problems: string[] = [];
  for (const [room, permissions] of rooms) {
    for (const { target } of permissions) {
      if (target === "*" || rooms.has(target.split("/")[0])) continue;
      problems.push(
        `ARCHITECTURE.md: lib/${room} may import "${target}", which is no folder of the table`,
      );
    }
  }
  const sealed = readSealed(architecture);
  const homeless = new Set<string>();
  for (const [path, text] of tree) {
    if (!path.endsWith(".ts") || !(path.startsWith("lib/") || path === "main.ts")) continue;
    const room = roomOf(path);
    if (path !== "main.ts" && !rooms.has(room)) homeless.add(room === "" ? path : `lib/${room}`);
    for (const { specifier, line } of readSource(text).imports) {
      const reason = forbidden({ path, specifier, rooms, sealed });
      if (reason !== undefined) problems.push(`${path}:${line}: imports "${specifier}": ${reason}`);
    }
  }
  for (const folder of homeless) problems.push(`${folder}: not in the table of ARCHITECTURE.md`);
  return problems;
}

/** Empty where the document has no such table. */
export function readRooms(markdown: string): Rooms {
  const rooms = new Map<string, Permission[]>();
  let inTable = false;
  for (const line of markdown.split("\n")) {
    const cells = line.trim().startsWith("|")
      ? line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim())
      : [];
    if (cells.join("|").toLowerCase() === "folder|owns|may import") {
      inTable = true;
    } else if (inTable && cells.length === 0) {
      inTable = false;
    } else if (inTable) {
      const room = /^`?lib\/(\w+)\/?`?$/.exec(cells[0])?.[1];
      if (room !== undefined) rooms.set(room, readPermissions(cells[2] ?? ""));
    }
  }
  return rooms;
}

/** The rooms of which the document says "are entered by `mod.ts`". */
function readSealed(markdown: string): ReadonlySet<string> {
  const sentence = /^((?:`\w+`(?:, |,\n| and |\nand )?)+)\s+are entered by `mod\.ts`/m.exec(
    markdown,
  );
  return new Set([...sentence?.[1].matchAll(/`(\w+)`/g) ?? []].map(([, room]) => room));
}

function readPermissions(cell: string): Permission[] {
  const plain = cell.replaceAll("`", "").trim();
  if (plain === "anything") return [{ target: "*" }];
  if (plain === "nothing of lib") return [];
  return plain.split(",").map((entry) => {
    const [, target, only] = /^(\S+)(?:\s+\((\S+) only\))?$/.exec(entry.trim()) ?? [];
    // What cannot be read names no folder of the table, and so is told of.
    if (target === undefined) return { target: entry.trim() };
    return only === undefined ? { target } : { target, only };
  });
}

function forbidden(
  { path, specifier, rooms, sealed }: {
    path: string;
    specifier: string;
    rooms: Rooms;
    sealed: ReadonlySet<string>;
  },
): string | undefined {
  // Packages and runtimes have rules of their own.
  if (!specifier.startsWith(".")) return undefined;
  const target = posix.join(posix.dirname(path), specifier);
  const [from, to] = [roomOf(path), roomOf(target)];
  if (target === "deno.json") return from === "cli" ? undefined : "only lib/cli reads deno.json";
  if (target.startsWith("templates/")) {
    return from === "inject" ? undefined : "only lib/inject embeds templates";
  }
  if (!target.startsWith("lib/")) return "it lies outside lib";
  const file = posix.basename(target);
  if (file.startsWith("_") && !path.startsWith(`${posix.dirname(target)}/`)) {
    return `files that begin with "_" are for ${posix.dirname(target)} alone`;
  }
  if (path === "main.ts") {
    return to === "cli" || to === "host" ? undefined : "main.ts starts lib/cli on a host, no more";
  }
  if (from === to) return undefined;
  const isSplit = sealed.has(to) && target !== `lib/${to}/mod.ts`;
  if (isSplit) return `other rooms import lib/${to}/mod.ts`;
  const granted = rooms.get(from)?.some((permission) => grants(permission, { path, target }));
  return granted ? undefined : `lib/${from} may not import this by ARCHITECTURE.md`;
}

function grants(
  permission: Permission,
  { path, target }: { path: string; target: string },
): boolean {
  if (permission.target === "*") return true;
  const { only } = permission;
  if (
    only !== undefined && !path.split("/").some((part) => part.replace(/^_/, "").startsWith(only))
  ) {
    return false;
  }
  const allowed = `lib/${permission.target}`;
  return target === `${allowed}.ts` || target.startsWith(`${allowed}/`);
}

/** The folder of lib a path lies in; empty for main.ts and what lies in no folder. */
function roomOf(path: string): string {
  const [top, room, ...rest] = path.split("/");
  return top === "lib" && rest.length > 0 ? room : "";
}
