/** Flags of commands: descriptors, values, and the readers of values that several commands take. */

export { compatFlag } from "./compat_flag.ts";
export { durationFlag } from "./duration_flag.ts";
export {
  type Args,
  type BooleanFlag,
  type Flag,
  flagMisuse,
  type FlagPlace,
  type FlagSource,
  type FlagValues,
  type ListFlag,
  type NumberFlag,
  type StringFlag,
  UsageError,
} from "./flag.ts";
export { atLeastFlag, portFlag } from "./number_flag.ts";
