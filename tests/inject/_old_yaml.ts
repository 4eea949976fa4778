/**
 * Removes zero values that only older or only newer Go libraries print from
 * both sides before they are compared. There are three:
 *
 * - `creationTimestamp: null`, in every `metadata` up to Istio 1.26;
 * - `metadata: {}`, if it contained nothing else;
 * - `availableReplicas: 0` in the status of a StatefulSet, which Kubernetes has since 1.22.
 */
export function normaliseOldYaml(text: string): string {
  return text
    .replace(/^ *creationTimestamp: null\n/gm, "")
    .replace(/^( *)metadata:\n(?!\1 )/gm, "$1metadata: {}\n")
    .replace(/^( *)availableReplicas: 0\n(?=\1replicas: 0\n)/gm, "");
}
