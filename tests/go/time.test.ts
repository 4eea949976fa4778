import { describe, expect, test } from "bun:test";
import { sprint, sprintf } from "../../lib/go/fmt.ts";
import {
  addDuration,
  compareTimes,
  DURATION,
  duration,
  formatDuration,
  formatTime,
  fromNanoseconds,
  GoTime,
  loadLocation,
  LOCAL,
  localZone,
  parseDuration,
  parseTime,
  roundDuration,
  subtractTimes,
  TIME,
  time,
  UTC,
  ZERO_TIME,
} from "../../lib/go/time.ts";
import { Typed } from "../../lib/go/value.ts";
import { outcome } from "./_outcome.ts";

function at(seconds: number, zone = "", nanoseconds = 0): GoTime {
  return new GoTime(BigInt(seconds), { nanoseconds, location: loadLocation(zone) });
}

/** Calls a method of a value. */
function method(value: Typed, name: string, ...args: unknown[]): unknown {
  return value.type.methods!.get(name)!.call(value.value, ...args);
}

// 2020-01-02 03:04:05 UTC, a Thursday.
const NOON = 1577934245;

describe("formatTime()", () => {
  const rows: [layout: string, time: GoTime, want: string][] = [
    ["2006-01-02T15:04:05Z07:00", at(NOON), "2020-01-02T03:04:05Z"],
    ["2006-01-02T15:04:05Z07:00", at(NOON, "Asia/Kolkata"), "2020-01-02T08:34:05+05:30"],
    ["Mon Jan _2 15:04:05 MST 2006", at(NOON), "Thu Jan  2 03:04:05 UTC 2020"],
    [
      "Monday, 02-Jan-06 15:04:05 MST",
      at(NOON, "Europe/Berlin"),
      "Thursday, 02-Jan-20 04:04:05 CET",
    ],
    [
      "January 2, 2006 at 3:04pm (MST)",
      at(NOON, "America/New_York"),
      "January 1, 2020 at 10:04pm (EST)",
    ],
    ["3:4:5 PM 03 1/2/06", at(NOON + 43200), "3:4:5 PM 03 1/2/20"],
    ["002 __2 _2 2 02", at(NOON), "002   2  2 2 02"],
    ["2006-002", at(1583020799), "2020-060"],
    ["_2006 2006_2", at(NOON), "_2020 2020 2"],
    [".000 ,00 .999 ,999999999 .0", at(NOON, "", 120_000_000), ".120 ,12 .12 ,12 .1"],
    ["05.999 05,9", at(NOON), "05 05"],
    [".0001 .0000000000001", at(NOON, "", 5), ".0001 .0000000000001"],
    [
      "-07 -0700 -07:00 -070000 -07:00:00",
      at(NOON, "America/St_Johns"),
      "-03 -0330 -03:30 -033000 -03:30:00",
    ],
    ["Z07 Z0700 Z07:00 Z070000 Z07:00:00", at(NOON), "Z Z Z Z Z"],
    ["Month Mon Janu Jan", at(NOON), "Month Thu Janu Jan"],
    ["plain text", at(NOON), "plain text"],
    ["", at(NOON), ""],
    ["2006-01-02 06", at(-62167219201), "-0001-12-31 01"],
    ["2006-01-02", at(253402300800), "10000-01-01"],
    ["2006-01-02 15:04:05", new GoTime((1n << 63n) - 1n), "292277026596-12-04 15:30:07"],
    ["2006 MST", at(NOON, "Asia/Tehran"), "2020 +0330"],
    ["MST -0700", at(1594000000, "Pacific/Auckland"), "NZST +1200"],
    ["MST -0700", at(1310000000, "Europe/Moscow"), "MSK +0400"],
    ["MST", at(20000000000, "America/New_York"), "EDT"],
    ["15:04 MST", at(4e15, "America/New_York"), "02:06 EST"],
  ];
  test.each(rows)("by %j", (layout, value, want) => {
    expect(formatTime(value, layout)).toBe(want);
  });
});

describe("parseTime()", () => {
  const rows: [layout: string, text: string, want: string][] = [
    ["2006-01-02", "2020-02-29", "2020-02-29 00:00:00 +0000 UTC"],
    ["2006-01-02T15:04:05Z07:00", "2020-01-02T03:04:05+02:00", "2020-01-02 03:04:05 +0200 +0200"],
    ["2006-01-02T15:04:05Z07:00", "2020-01-02T03:04:05.25Z", "2020-01-02 03:04:05.25 +0000 UTC"],
    [
      "2006-01-02 15:04:05",
      "2020-01-02 03:04:05,123456789012",
      "2020-01-02 03:04:05.123456789 +0000 UTC",
    ],
    ["2006-01-02 15:04:05.000", "2020-01-02 03:04:05.120", "2020-01-02 03:04:05.12 +0000 UTC"],
    ["Mon Jan _2 15:04:05 2006", "thu jan  2 03:04:05 2020", "2020-01-02 03:04:05 +0000 UTC"],
    ["3:04PM", "12:30AM", "0000-01-01 00:30:00 +0000 UTC"],
    ["3:04pm", "1:05pm", "0000-01-01 13:05:00 +0000 UTC"],
    ["02 Jan 06 15:04 MST", "02 Jan 69 15:04 EST", "1969-01-02 15:04:00 +0000 EST"],
    ["02 Jan 06 15:04 MST", "02 Jan 68 15:04 GMT-3", "2068-01-02 12:04:00 -0300 GMT-3"],
    ["2006-002", "2020-366", "2020-12-31 00:00:00 +0000 UTC"],
    ["2006 01 02", "2020    01 02", "2020-01-02 00:00:00 +0000 UTC"],
    ["2006-01-02 -07:00:00", "2020-01-02 +01:02:03", "2020-01-02 00:00:00 +0102 +0102"],
    ["2006", "x", 'parsing time "x" as "2006": cannot parse "x" as "2006"'],
    ["2006-01-02", "2020-01", 'parsing time "2020-01" as "2006-01-02": cannot parse "" as "-"'],
    [
      "2006-01-02",
      "2020-1-02",
      'parsing time "2020-1-02" as "2006-01-02": cannot parse "1-02" as "01"',
    ],
    ["2006-01-02", "2020-13-02", 'parsing time "2020-13-02": month out of range'],
    ["2006-01-02", "2020-02-30", 'parsing time "2020-02-30": day out of range'],
    ["2006-01-02", "2020-01-02x", 'parsing time "2020-01-02x": extra text: "x"'],
    ["15:04", "24:00", 'parsing time "24:00": hour out of range'],
    ["3:04PM", "13:00PM", 'parsing time "13:00PM": hour out of range'],
    ["15:04:05", "23:60:00", 'parsing time "23:60:00": minute out of range'],
    ["15:04:05", "23:59:60", 'parsing time "23:59:60": second out of range'],
    ["2006-002", "2021-366", 'parsing time "2021-366": day-of-year out of range'],
    ["2006-01-002", "2020-02-001", 'parsing time "2020-02-001": day-of-year does not match month'],
    ["-0700", "+2500", 'parsing time "+2500": time zone offset hour out of range'],
    ["-0700", "*0100", 'parsing time "*0100" as "-0700": cannot parse "*0100" as "-0700"'],
    ["MST", "Est", 'parsing time "Est" as "MST": cannot parse "Est" as "MST"'],
    ["Jan", "Foo", 'parsing time "Foo" as "Jan": cannot parse "Foo" as "Jan"'],
    [
      "é 2006",
      "è 2020",
      'parsing time "\\xc3\\xa8 2020" as "\\xc3\\xa9 2006": cannot parse "\\xa8 2020" as "\\xc3\\xa9 "',
    ],
  ];
  test.each(rows)("by %j of %j", (layout, text, want) => {
    expect(outcome(() => sprint([time(parseTime(layout, text, UTC))]))).toBe(want);
  });

  test("recognizes offsets and abbreviations of the location", () => {
    const zone = loadLocation("America/New_York");
    const read = (layout: string, text: string) => sprint([time(parseTime(layout, text, zone))]);
    expect(read("2006-01-02 15:04", "2020-07-01 12:00")).toBe("2020-07-01 12:00:00 -0400 EDT");
    expect(read("2006-01-02 -0700", "2020-01-01 -0500")).toBe("2020-01-01 00:00:00 -0500 EST");
    expect(read("2006-01-02 MST", "2020-01-01 EST")).toBe("2020-01-01 00:00:00 -0500 EST");
    // An hour that daylight saving time skips.
    expect(read("2006-01-02 15:04", "2020-03-08 02:30")).toBe("2020-03-08 01:30:00 -0500 EST");
  });
});

describe("loadLocation()", () => {
  const rows: [name: string, want: string][] = [
    ["", "UTC"],
    ["UTC", "UTC"],
    ["Local", "Local"],
    ["US/Eastern", "US/Eastern"],
    ["Asia/Calcutta", "Asia/Calcutta"],
    ["Nowhere/Land", "unknown time zone Nowhere/Land"],
    ["america/new_york", "unknown time zone america/new_york"],
    ["+01:00", "unknown time zone +01:00"],
    ["constructor", "unknown time zone constructor"],
    ["../etc/passwd", "time: invalid location name"],
    ["/UTC", "time: invalid location name"],
  ];
  test.each(rows)("of %j", (name, want) => {
    expect(outcome(() => loadLocation(name).name)).toBe(want);
  });

  test("returns the caller's location for Local", () => {
    const local = localZone("Asia/Tokyo");
    expect(formatTime(new GoTime(0n, { location: loadLocation("Local", local) }), "15 MST")).toBe(
      "09 JST",
    );
    expect(localZone("No/Where")).toBe(LOCAL);
    expect(localZone()).toBe(LOCAL);
  });
});

describe("parseDuration()", () => {
  const rows: [text: string, want: unknown][] = [
    ["0", 0n],
    ["+5s", 5_000_000_000n],
    ["-1.5h", -5_400_000_000_000n],
    ["1h2m3s4ms5us6ns", 3_723_004_005_006n],
    ["1µs1μs", 2000n],
    [".5s", 500_000_000n],
    ["1.s", 1_000_000_000n],
    ["0.3333333333333333333h", 1_200_000_000_000n],
    ["-9223372036854775808ns", -(1n << 63n)],
    ["", 'time: invalid duration ""'],
    ["-", 'time: invalid duration "-"'],
    ["1", 'time: missing unit in duration "1"'],
    ["1d", 'time: unknown unit "d" in duration "1d"'],
    ["1é", 'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'],
    [".s", 'time: invalid duration ".s"'],
    ["bad", 'time: invalid duration "bad"'],
    ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
    ["99999999999999999999h", 'time: invalid duration "99999999999999999999h"'],
  ];
  test.each(rows)("of %j", (text, want) => {
    expect(outcome(() => parseDuration(text))).toBe(want);
  });
});

describe("formatDuration()", () => {
  const rows: [nanoseconds: bigint, want: string][] = [
    [0n, "0s"],
    [1n, "1ns"],
    [1100n, "1.1µs"],
    [2_200_000n, "2.2ms"],
    [-95_000_000_000n, "-1m35s"],
    [3_600_000_000_000n, "1h0m0s"],
    [3_661_500_000_000n, "1h1m1.5s"],
    [-(1n << 63n), "-2562047h47m16.854775808s"],
  ];
  test.each(rows)("of %d", (nanoseconds, want) => {
    expect(formatDuration(nanoseconds)).toBe(want);
  });
});

test("roundDuration() rounds halves away from zero", () => {
  const second = 1_000_000_000n;
  expect(roundDuration(1_500_000_000n, second)).toBe(2n * second);
  expect(roundDuration(-1_500_000_000n, second)).toBe(-2n * second);
  expect(roundDuration(1_499_999_999n, second)).toBe(second);
  expect(roundDuration((1n << 63n) - 1n, second)).toBe((1n << 63n) - 1n);
  expect(roundDuration(5n, 0n)).toBe(5n);
});

describe("time.Time", () => {
  const value = time(at(NOON, "", 5));
  const rows: [name: string, args: unknown[], want: string][] = [
    ["Year", [], "2020"],
    ["Month", [], "January"],
    ["Day", [], "2"],
    ["Weekday", [], "Thursday"],
    ["YearDay", [], "2"],
    ["Hour", [], "3"],
    ["Minute", [], "4"],
    ["Second", [], "5"],
    ["Nanosecond", [], "5"],
    ["Unix", [], "1577934245"],
    ["UnixMilli", [], "1577934245000"],
    ["UnixNano", [], "1577934245000000005"],
    ["Format", ["Jan _2"], "Jan  2"],
    ["IsZero", [], "false"],
    ["Location", [], "UTC"],
    ["Add", [3_600_000_000_000n], "2020-01-02 04:04:05.000000005 +0000 UTC"],
    ["AddDate", [0, 1, 30], "2020-03-03 03:04:05.000000005 +0000 UTC"],
    ["Sub", [at(NOON - 90)], "1m30.000000005s"],
    ["Before", [at(NOON)], "false"],
    ["After", [at(NOON)], "true"],
    ["Equal", [at(NOON, "Asia/Tokyo", 5)], "true"],
    ["Truncate", [3_600_000_000_000n], "2020-01-02 03:00:00 +0000 UTC"],
    ["Round", [86_400_000_000_000n], "2020-01-02 00:00:00 +0000 UTC"],
    ["In", [loadLocation("Asia/Tokyo")], "2020-01-02 12:04:05.000000005 +0900 JST"],
    ["String", [], "2020-01-02 03:04:05.000000005 +0000 UTC"],
  ];
  test.each(rows)(".%s", (name, args, want) => {
    expect(sprint([method(value, name, ...args)])).toBe(want);
  });

  test("prints as in Go", () => {
    expect(sprintf("%v|%s|%#v", [value, value, value])).toBe(
      "2020-01-02 03:04:05.000000005 +0000 UTC|2020-01-02 03:04:05.000000005 +0000 UTC|" +
        "time.Date(2020, time.January, 2, 3, 4, 5, 5, time.UTC)",
    );
    expect(sprintf("%d %v", Array(2).fill(method(value, "Month")))).toBe("1 January");
    expect(sprint([time(ZERO_TIME)])).toBe("0001-01-01 00:00:00 +0000 UTC");
    const now = new GoTime(0n, { location: LOCAL, monotonic: 1_500_000_000n });
    expect(sprint([time(now)])).toBe("1970-01-01 00:00:00 +0000 UTC m=+1.500000000");
  });

  test("is RFC 3339 in JSON, for years of four digits", () => {
    expect(TIME.toJson!(at(NOON, "Asia/Kolkata", 5))).toBe("2020-01-02T08:34:05.000000005+05:30");
    expect(outcome(() => TIME.toJson!(at(253402300800)))).toBe(
      "Time.MarshalJSON: year outside of range [0,9999]",
    );
  });

  test("refuses methods with several results, with Go's error", () => {
    expect(outcome(() => method(value, "Date"))).toBe(
      "function Date has 3 return values; should be 1 or 2",
    );
    expect(outcome(() => method(value, "ISOWeek"))).toBe(
      "invalid function signature for ISOWeek: second return value should be error; is int",
    );
  });

  test("saturates at both ends of time", () => {
    const late = new GoTime((1n << 63n) - 1n - 62_135_596_800n);
    expect(addDuration(late, 5_000_000_000n).seconds).toBe(late.seconds);
    expect(subtractTimes(late, ZERO_TIME)).toBe((1n << 63n) - 1n);
    expect(compareTimes(ZERO_TIME, late)).toBe(-1);
  });

  test("can be made from Unix time in nanoseconds, even before 1970", () => {
    expect(fromNanoseconds(-1n)).toMatchObject({ seconds: -1n, nanoseconds: 999_999_999 });
    expect(fromNanoseconds(1_000_000_001n)).toMatchObject({ seconds: 1n, nanoseconds: 1 });
  });
});

describe("time.Duration", () => {
  const value = duration(5_430_500_000_000n);
  const rows: [name: string, want: string][] = [
    ["Hours", "1.5084722222222222"],
    ["Minutes", "90.50833333333334"],
    ["Seconds", "5430.5"],
    ["Milliseconds", "5430500"],
    ["Nanoseconds", "5430500000000"],
    ["String", "1h30m30.5s"],
    ["Abs", "1h30m30.5s"],
  ];
  test.each(rows)(".%s", (name, want) => {
    expect(sprint([method(value, name)])).toBe(want);
  });

  test("prints as text, but as a number with %d", () => {
    expect(sprintf("%v %d %T %#v", Array(4).fill(value))).toBe(
      "1h30m30.5s 5430500000000 time.Duration 5430500000000",
    );
    expect(value.type).toBe(DURATION);
  });
});
