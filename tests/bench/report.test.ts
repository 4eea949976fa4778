import { describe, expect, test } from "bun:test";
import {
  exponentOf,
  goalsText,
  isMet,
  median,
  numberText,
  type Row,
  tableText,
  timesBetter,
} from "./_report.ts";

const FASTER: Row = {
  group: "replicas",
  what: "throughput",
  unit: "1/s",
  better: "more",
  peer: 300,
  ours: 6300,
  floor: 20000,
  goal: 20,
};
const LATER: Row = {
  group: "start",
  what: "start-up",
  unit: "ms",
  better: "less",
  peer: 75,
  ours: 100,
  goal: 1,
};

test("median() is the middle, or the mean of the two that are", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test("exponentOf() tells linear from quadratic growth", () => {
  expect(exponentOf([[1, 3], [10, 30], [100, 300]])).toBeCloseTo(1);
  expect(exponentOf([[1, 3], [10, 300], [100, 30000]])).toBeCloseTo(2);
});

describe("goals", () => {
  test("are ratios to the peer, upwards or downwards", () => {
    expect(timesBetter(FASTER)).toBe(21);
    expect(isMet(FASTER)).toBe(true);
    expect(isMet({ ...FASTER, ours: 5900 })).toBe(false);
    expect(timesBetter(LATER)).toBe(0.75);
    expect(isMet(LATER)).toBe(false);
    expect(isMet({ ...LATER, ours: 75 })).toBe(true);
  });

  test("are not met and not missed where nothing was measured", () => {
    expect(isMet({ ...FASTER, peer: undefined })).toBeUndefined();
    expect(isMet({ ...FASTER, goal: undefined })).toBeUndefined();
  });

  test("are counted, and the missed ones named", () => {
    expect(goalsText([FASTER, LATER, { ...LATER, ours: undefined }])).toBe(
      "1 of 2 goals met\nmissed: start, start-up: 1.33×, wanted ≤ 1",
    );
  });
});

test("numberText() keeps three digits that count", () => {
  const rows: [number | undefined, string][] = [
    [0, "0"],
    [0.01234, "0.012"],
    [1.2345, "1.23"],
    [12.345, "12.3"],
    [1234567.8, "1,234,568"],
    [undefined, ""],
    [NaN, ""],
  ];
  for (const [value, text] of rows) expect(numberText(value)).toBe(text);
});

test("tableText() is one table in columns that line up, a heading a group", () => {
  const lines = tableText([FASTER, LATER]).split("\n");
  expect(new Set(lines.map((line) => [...line].length)).size).toBe(1);
  expect(lines.length).toBe(6);
  expect(lines[2]).toContain("**replicas**");
  expect(lines[3]).toMatch(
    /throughput +\| 1\/s +\| +300 \| +6,300 \| +20,000 \| +21\.0× \| ≥ 20×: met/,
  );
  expect(lines[5]).toMatch(/ 1\.33× \| ≤ 1: \*\*missed\*\*/);
});
