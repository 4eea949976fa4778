import { describe, expect, test } from "bun:test";
import { jsonField, structType } from "../../lib/kube/schema.ts";

describe("structType()", () => {
  const kinds = [
    "Pod",
    "ReplicationController",
    "Deployment",
    "DaemonSet",
    "ReplicaSet",
    "StatefulSet",
    "Job",
    "CronJob",
    "DeploymentConfig",
    "List",
  ];
  for (const kind of kinds) {
    test(`knows ${kind}`, () => {
      expect(structType(kind)?.name).toBe(kind);
      expect([...structType(kind)!.byJson.keys()]).toContain("metadata");
    });
  }

  for (const name of ["__proto__", "constructor", "toString", "Nothing", "", "string", "Time"]) {
    test(`has no type "${name}"`, () => expect(structType(name)).toBeUndefined());
  }

  test("distinguishes OpenShift's types from Kubernetes types of the same name", () => {
    const strategy = structType("DeploymentConfig")!.byGo.get("Spec")!.type.struct!.byGo.get(
      "Strategy",
    )!;
    expect(strategy.type.name).toBe("v1.DeploymentStrategy");
    expect(strategy.type.struct).not.toBe(structType("DeploymentStrategy"));
    expect([...strategy.type.struct!.byJson.keys()]).toContain("customParams");
  });
});

describe("a struct's fields by Go name", () => {
  const rows: [type: string, field: string, path: string, goType: string][] = [
    ["Pod", "ObjectMeta", "metadata", "v1.ObjectMeta"],
    ["Pod", "Labels", "metadata/labels", "map[string]string"],
    ["Pod", "TypeMeta", "", "v1.TypeMeta"],
    ["Pod", "APIVersion", "apiVersion", "string"],
    ["Probe", "ProbeHandler", "", "v1.ProbeHandler"],
    ["Probe", "HTTPGet", "httpGet", "*v1.HTTPGetAction"],
    ["Volume", "VolumeSource", "", "v1.VolumeSource"],
    ["Volume", "HostPath", "hostPath", "*v1.HostPathVolumeSource"],
    ["EphemeralContainer", "Image", "image", "string"],
    ["ConfigMapKeySelector", "Name", "name", "string"],
    ["PodTemplateSpec", "Annotations", "metadata/annotations", "map[string]string"],
    ["Container", "TTY", "tty", "bool"],
    ["Container", "ImagePullPolicy", "imagePullPolicy", "v1.PullPolicy"],
    ["Container", "RestartPolicy", "restartPolicy", "*v1.ContainerRestartPolicy"],
    ["Container", "Ports", "ports", "[]v1.ContainerPort"],
    ["Capabilities", "Add", "add", "[]v1.Capability"],
    ["ResourceRequirements", "Limits", "limits", "v1.ResourceList"],
    ["ObjectMeta", "UID", "uid", "types.UID"],
    ["ObjectMeta", "CreationTimestamp", "creationTimestamp", "v1.Time"],
    ["HTTPGetAction", "Port", "port", "intstr.IntOrString"],
    ["ContainerStatus", "LastTerminationState", "lastState", "v1.ContainerState"],
  ];
  for (const [type, field, path, goType] of rows) {
    test(`${type}.${field} is a ${goType} at "${path}"`, () => {
      const found = structType(type)!.byGo.get(field)!;
      expect(found.path.join("/")).toBe(path);
      expect(found.type.name).toBe(goType);
    });
  }

  test("are not found by JSON name or inherited property", () => {
    const { byGo } = structType("Container")!;
    for (const name of ["image", "constructor", "__proto__"]) expect(byGo.has(name)).toBe(false);
  });
});

describe("jsonField()", () => {
  const rows: [type: string, key: string, found: string | undefined][] = [
    ["Container", "image", "image"],
    ["Container", "IMAGE", "image"],
    ["Volume", "HostPath", "hostPath"],
    ["PodSpec", "container\u017f", "containers"],
    ["SecretKeySelector", "\u212aey", "key"],
    ["Container", "imag", undefined],
    ["Container", "__proto__", undefined],
    ["Container", "constructor", undefined],
    ["Container", "", undefined],
  ];
  for (const [type, key, found] of rows) {
    test(`${type} ${JSON.stringify(key)} is ${found}`, () => {
      expect(jsonField(structType(type)!, key)?.json).toBe(found as string);
    });
  }

  test("finds the merge keys of lists", () => {
    const spec = structType("PodSpec")!;
    const rules = ["containers", "volumes", "tolerations"].map((key) => jsonField(spec, key)!);
    expect(rules.map(({ merge, mergeKey, retainKeys }) => [merge, mergeKey, retainKeys])).toEqual([
      [true, "name", false],
      [true, "name", true],
      [false, "", false],
    ]);
  });

  test("puts fields of inline structs in API order", () => {
    const keys = structType("Probe")!.encoded.map((field) => field.json);
    expect(keys.slice(0, 5)).toEqual([
      "exec",
      "httpGet",
      "tcpSocket",
      "grpc",
      "initialDelaySeconds",
    ]);
  });
});
