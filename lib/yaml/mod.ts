/** Reads and writes YAML as Kubernetes does. */

export { findStructureChange, type YamlPart } from "./guard.ts";
export { type YamlPath, type YamlPlace, yamlPlaces } from "./places.ts";
export { compileYamlShape, type YamlParts, type YamlShape } from "./shape.ts";
export { scalarText } from "./scalar_text.ts";
export {
  MAX_YAML_LENGTH,
  parseAllYaml,
  parseYaml,
  type ParseYamlOptions,
  stringifyYaml,
  YamlError,
  type YamlErrorCode,
} from "./yaml.ts";
