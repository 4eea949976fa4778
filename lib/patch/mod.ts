/** What other rooms may use of lib/patch. */

export { applyPatch, createPatch, type Operation } from "./json_patch.ts";
export { strategicMerge } from "./strategic_merge.ts";
