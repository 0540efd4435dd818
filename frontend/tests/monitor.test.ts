import { strict as assert } from "node:assert";
import { test } from "node:test";

import { Desk, type StudyCounts } from "../src/dashboard/desk";
import { monitorView, typicalTime } from "../src/dashboard/monitor";
import { stayingChart, stayingInWords } from "../src/dashboard/monitor_charts";
import type { MonitoredPage, Monitoring } from "../src/schema";

const PAGES: MonitoredPage[] = [
  { block: "consent", purpose: "consent", reached: [10, 12], left: [0, 1], median_s: 8, n_answers: 22 },
  { block: "main_part", purpose: "main", reached: [10, 11], left: [4, 1], median_s: null, n_answers: 2 },
];
const FOUND: Monitoring = {
  study: "s",
  title: "A study",
  is_pilot: false,
  kind: "person",
  read_share: 1,
  is_blind: true,
  is_paused: false,
  conditions: ["A", "B"],
  n_wanted: 40,
  n_completed: 16,
  n_started: 22,
  pages: PAGES,
  days: [{ day: "2026-03-01", started: [10, 12], completed: [6, 10], left: [4, 2] }],
  checks: [],
  attrition: {
    ended: [10, 12],
    left: [4, 2],
    method: "exact",
    p: 0.3,
    difference: 0.2,
    low: -0.1,
    high: 0.5,
    sentence: "Told.",
  },
  money: { currency: "EUR", spent: 30, forecast: 75, per_completed: 1.88 },
  devices: { computer: 20 },
  connections: { fast: 20 },
  rules: [{ rule_id: "budget", limit: "400 has been spent", value: 30, at_least: 400, is_reached: false }],
  notes: [],
};

test("the page where most people leave is told in words", () => {
  assert.equal(stayingInWords(PAGES, ["A", "B"]), "Most people leave at main part (A 4, B 1).");
  const tied = PAGES.map((page) => ({ ...page, left: [2, 0] }));
  assert.equal(
    stayingInWords(tied, ["A", "B"]),
    "Most people leave at consent (A 2, B 0) and at main part (A 2, B 0).",
  );
});

test("nobody leaving is told too, and draws no NaN", () => {
  const none = PAGES.map((page) => ({ ...page, left: [0, 0], reached: [0, 0] }));
  assert.equal(stayingInWords(none, ["A", "B"]), "Nobody has left yet.");
  assert.ok(!stayingChart(none, ["A", "B"]).outerHTML.includes("NaN"));
});

test("a page that a condition does not have is left out of its line", () => {
  const skipped = [
    ...PAGES,
    { ...PAGES[1], reached: [9, null], left: [0, 0] },
    { ...PAGES[1], reached: [9, 10], left: [0, 0] },
    { ...PAGES[1], reached: [null, 10], left: [0, 0] },
  ];
  const lines = [...stayingChart(skipped as MonitoredPage[], ["A", "B"]).querySelectorAll("path.line")];
  assert.deepEqual(
    lines.map((line) => line.getAttribute("d")?.match(/[ML]/g)?.length),
    [4, 4],
  );
});

test("times under a second are not told as nothing", () => {
  assert.deepEqual([typicalTime(null), typicalTime(0.4), typicalTime(8)].slice(0, 2), ["–", "under 1 s"]);
});

test("a line is drawn for each condition", () => {
  assert.equal(stayingChart(PAGES, ["A", "B"]).querySelectorAll("path.line").length, 2);
});

test("monitoring says that it is blind, what it costs and where the rules are", async () => {
  const desk = new Desk(async () => new Response(JSON.stringify(FOUND)));
  const { element } = await monitorView(desk, { name: "s", title: "A study" } as StudyCounts);
  const text = element.textContent ?? "";
  for (const words of ["Conditions are called A, B", "30.00 EUR", "budget pauses recruitment", "now 30"])
    assert.ok(text.includes(words), words);
});
