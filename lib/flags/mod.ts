/** Command-line flags: descriptors, parsed values, and parsers for values that several commands accept. */

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
  orList,
  type StringFlag,
  UsageError,
} from "./flag.ts";
export { atLeastFlag, portFlag } from "./number_flag.ts";
