import { describe } from "bun:test";
import { pointerTo, Typed } from "../../../lib/go/value.ts";
import { fromNanoseconds, TIME } from "../../../lib/go/time.ts";
import { table } from "./_host_table.ts";

const INSTANT = fromNanoseconds(1_577_934_245_000_000_000n);
const DATA = {
  ts: 1577934245,
  t: new Typed(TIME, INSTANT),
  p: new Typed(pointerTo(TIME), INSTANT),
  nil: new Typed(pointerTo(TIME), null),
};

describe("date functions accept a time or an integer, and use the current time otherwise", () => {
  table([
    [`{{ dateInZone "2006-01-02 15:04:05 MST" 1577934245 "UTC" }}`, "2020-01-02 03:04:05 UTC"],
    [`{{ date_in_zone "15:04 MST -0700" 1577934245 "America/New_York" }}`, "22:04 EST -0500"],
    [
      `{{ htmlDateInZone 1577934245 "Pacific/Auckland" }} {{ htmlDate (int64 0) }}`,
      "2020-01-02 1970-01-01",
    ],
    [`{{ dateInZone "MST" 0 "Nope/Zone" }} {{ dateInZone "MST" 0 "" }}`, "UTC UTC"],
    [`{{ date "2006-01-02" .t }} {{ date "2006-01-02" .p }}`, "2020-01-02 2020-01-02"],
    [`{{ date "2006-01-02" .nil }}`, "ERROR nil pointer dereference"],
    [
      `{{ date "2006-01-02" .ts }} {{ htmlDate "2020" }} {{ htmlDate nil }}`,
      "2026-01-02 2026-01-02 2026-01-02",
    ],
    [`{{ now.Year }} {{ now | unixEpoch }} {{ typeOf now }}`, "2026 1767323045 time.Time"],
  ], { data: DATA });
});

describe("the local zone is the host's", () => {
  table([
    [`{{ date "2006-01-02 15:04 MST" 1577934245 }}`, "2020-01-01 22:04 EST"],
    [`{{ toDate "2006-01-02" "2020-07-01" | unixEpoch }}`, "1593576000"],
    [`{{ dateInZone "15:04" 0 "Local" }} {{ htmlDate 0 }} {{ now.Hour }}`, "19:00 1969-12-31 22"],
  ], { host: { localZone: "America/New_York" } });
});

describe("toDate and dateModify ignore errors, their must forms do not", () => {
  table([
    [`{{ toDate "2006-01-02" "bad" }}`, "0001-01-01 00:00:00 +0000 UTC"],
    [
      `{{ mustToDate "2006-01-02" "2020-02-30" }}`,
      `ERROR parsing time "2020-02-30": day out of range`,
    ],
    [
      `{{ (toDate "15:04" "10:30" | dateModify "-90m").Hour }} {{ (toDate "15:04" "10:30" | date_modify "bad").Hour }}`,
      "9 10",
    ],
    [`{{ (toDate "15:04" "10:30" | mustDateModify "1.5h").Hour }}`, "12"],
    [`{{ toDate "15:04" "10:30" | must_date_modify "" }}`, `ERROR time: invalid duration ""`],
    [`{{ unixEpoch 5 }}`, "ERROR can't handle 5 for arg of type time.Time"],
  ]);
});

describe("durations", () => {
  table([
    [
      `{{ duration (int64 95) }} {{ duration "95" }} {{ duration "-5" }} {{ duration "+007" }}`,
      "1m35s 1m35s -5s 7s",
    ],
    [`{{ duration 95 }} {{ duration "bad" }} {{ duration "" }} {{ duration 1.5 }}`, "0s 0s 0s 0s"],
    [
      `{{ duration "99999999999999999999" }} {{ duration (int64 "9223372036854775807") }}`,
      "-1s -1s",
    ],
    [
      `{{ durationRound "1h" }} {{ durationRound "61s" }} {{ durationRound "-25h" }} {{ durationRound "999ms" }}`,
      "60m 1m 1d 0s",
    ],
    [
      `{{ durationRound "8761h" }} {{ durationRound "721h" }} {{ durationRound "bad" }} {{ durationRound 5 }}`,
      "1y 1mo 0s 0s",
    ],
    [`{{ durationRound (int64 90000000000) }} {{ durationRound (toDate "2006" "2020") }}`, "1m 6y"],
    [`{{ durationRound (int64 "-9223372036854775808") }}`, "292y"],
    [
      `{{ ago 1767323000 }} {{ ago (int64 1767323000) }} {{ ago "x" }} {{ ago nil }}`,
      "45s 45s 0s 0s",
    ],
    [`{{ ago (toDate "2006-01-02" "2026-01-01") }}`, "27h4m5s"],
  ]);
});
