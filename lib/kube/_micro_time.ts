/** Formats a time as Kubernetes' MicroTime, which requires exactly six fractional digits. */
export function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}
