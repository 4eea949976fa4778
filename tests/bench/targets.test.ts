import { expect, test } from "bun:test";
import { environmentOf } from "./_children.ts";
import { commandOf, ticksOf } from "./_targets.ts";

test("ticksOf() adds user's and system's time, whatever the program is called", () => {
  const rest = "S 1 2 3 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 4 0 99 1000 200";
  expect(ticksOf(`42 (wrk) ${rest}`)).toBe(12);
  expect(ticksOf(`42 (a b) c (d) ${rest}`)).toBe(12);
});

test("commandOf() gives injectors the same settings, certificate and address", () => {
  const place = {
    programs: { peer: "peer", ours: "ours", floor: "floor" },
    settings: "SETTINGS",
    certificate: "CERTIFICATE",
    key: "KEY",
    answer: "ANSWER",
  };
  for (const name of ["peer", "ours"] as const) {
    const line = commandOf(name, place, 4711).join(" ");
    for (const part of [name, "SETTINGS", "CERTIFICATE", "KEY", "4711", "127.0.0.1", "default"]) {
      expect(line).toContain(part);
    }
  }
});

test("environmentOf() takes what an image sets", () => {
  const containerfile = "ARG A=1\nENV ONE=1\n# ENV TWO=2\nENV THREE=a,b\n";
  expect(environmentOf(containerfile)).toEqual({ ONE: "1", THREE: "a,b" });
});
