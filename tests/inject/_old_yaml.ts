/**
 * Zero values that older Go libraries printed and today's don't, or the other way round, taken out of
 * both sides before they are compared. Three of them, and nothing else:
 *
 * - `creationTimestamp: null`, in every `metadata` up to Istio 1.26;
 * - `metadata: {}`, where that was all there was in it;
 * - `availableReplicas: 0` in the status of a StatefulSet, which Kubernetes has since 1.22.
 */
export function normaliseOldYaml(text: string): string {
  return text
    .replace(/^ *creationTimestamp: null\n/gm, "")
    .replace(/^( *)metadata:\n(?!\1 )/gm, "$1metadata: {}\n")
    .replace(/^( *)availableReplicas: 0\n(?=\1replicas: 0\n)/gm, "");
}
