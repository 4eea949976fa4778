/** Pods with the same changes, together: a config's change is read once, not once a pod. */

import { type Change, changeLine } from "./changes.ts";

export interface ChangeGroup<T> {
  readonly changes: readonly Change[];
  /** Those that have them, in the order they came in. */
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

  /** The largest first. */
  list(): ChangeGroup<T>[] {
    return [...this.#groups.values()].toSorted((a, b) => b.members.length - a.members.length);
  }
}

/** Whole values: lines may show two long ones alike. */
function changeKey(change: Change): string {
  return `${changeLine(change)} ${JSON.stringify([change.from, change.to])}`;
}
