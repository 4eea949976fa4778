/** Builds the image names of the sidecar and its init container from hub, name, tag and variant. */
import { formatValue } from "../go/fmt.ts";
import { PROXY_IMAGE_TYPE } from "./names.ts";
import { lookup, type StringMap } from "./pod.ts";

export interface ImageOptions {
  readonly hub: string;
  /** Any scalar: YAML reads `1.10` as a number, and Go prints it as one. */
  readonly tag: unknown;
  /** The name without hub and tag; "" for the default. */
  readonly name: string;
  /** The variant that the config requests; "" for none. */
  readonly variant: string;
  readonly annotations: StringMap | undefined;
}

const VARIANTS = ["-distroless", "-debug"];

export function imageUrl({ hub, tag, name, variant, annotations }: ImageOptions): string {
  const type = lookup(annotations, PROXY_IMAGE_TYPE) ?? variant;
  return `${hub}/${name || "proxyv2"}:${withVariant(formatValue(tag ?? null), type)}`;
}

function withVariant(tag: string, type: string): string {
  if (type === "") return tag;
  const known = VARIANTS.find((suffix) => tag.endsWith(suffix));
  const plain = known ? tag.slice(0, -known.length) : tag;
  return type === "default" ? plain : `${plain}-${type}`;
}
