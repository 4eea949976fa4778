/**
 * Groups pods with the same changes, so that a config change is shown once instead of once per pod.
 */

import { type Change, changeLine } from "./changes.ts";

export interface ChangeGroup<T> {
  readonly changes: readonly Change[];
  /** The pods with these changes, in input order. */
  readonly members: readonly T[];
}

export class ChangeGroups<T> {
  readonly #groups = new Map<string, { changes: readonly Change[]; members: T[] }>();

  add(member: T, changes: readonly Change[]): void {
    const key = changes.map(changeKey).join("\n");
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { changes, members: [member] });
    else group.members.push(member);
  }

  /** Returns the groups, the largest first. */
  list(): ChangeGroup<T>[] {
    return [...this.#groups.values()].toSorted((a, b) => b.members.length - a.members.length);
  }
}

/** Identifies a change by its whole values, because shortened lines may be equal. */
function changeKey(change: Change): string {
  return `${changeLine(change)} ${JSON.stringify([change.from, change.to])}`;
}
