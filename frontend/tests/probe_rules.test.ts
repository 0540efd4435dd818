import { strict as assert } from "node:assert";
import { test } from "node:test";

import { judged } from "../src/probe/judging";
import { DEFAULT_OPTIONS } from "../src/probe/rule_lines";
import { type Outcomes, rulings } from "../src/probe/rules";
import { ANALYSES, HYPOTHESES, type HypothesisId, type Outcome } from "../src/probe/verdicts";

const SIGNS: readonly Outcome[] = [">", "<", "~"];
const SETS: Readonly<Record<string, readonly [number, number]>> = {
  A1: [0, 3],
  A2: [0, 2],
  A3: [0, 1],
  A4: [1, 3],
  A5: [1, 2],
  A6: [2, 3],
};
const OPPOSED: readonly [HypothesisId, HypothesisId][] = [
  ["H1", "H2"],
  ["H5", "H6"],
  ["H7", "H8"],
  ["H9", "H10"],
  ["H11", "H12"],
];

function outcomesOf(pattern: string): Outcomes {
  return Object.fromEntries(ANALYSES.map((id, index) => [id, pattern[index]])) as unknown as Outcomes;
}

function allPatterns(): string[] {
  return ANALYSES.reduce<string[]>((found) => found.flatMap((prefix) => SIGNS.map((sign) => prefix + sign)), [""]);
}

/** Whether some order of four means, with any of them tied or not significantly apart, can give a pattern. */
function isRealisable(pattern: string): boolean {
  const higher = (from: number, to: number, seen = new Set<number>()): boolean => {
    for (const [index, id] of ANALYSES.entries()) {
      const [left, right] = SETS[id] ?? [0, 0];
      const sign = pattern[index];
      const next = sign === ">" && left === from ? right : sign === "<" && right === from ? left : null;
      if (next === null || seen.has(next)) continue;
      if (next === to || higher(next, to, new Set([...seen, next]))) return true;
    }
    return false;
  };
  return [0, 1, 2, 3].every((mean) => !higher(mean, mean));
}

function confirmed(pattern: string, options = {}): string {
  const found = rulings(outcomesOf(pattern), { ...DEFAULT_OPTIONS, ...options });
  return HYPOTHESES.filter((id) => found[id].state === "confirmed").join(" ");
}

test("of 729 patterns 543 come from some order of four means", () => {
  assert.equal(allPatterns().filter(isRealisable).length, 543);
});

test("no realisable pattern confirms both of an opposed pair", () => {
  const both = allPatterns()
    .filter(isRealisable)
    .filter((pattern) => {
      const found = rulings(outcomesOf(pattern));
      return OPPOSED.some(
        ([first, second]) => found[first].state === "confirmed" && found[second].state === "confirmed",
      );
    });
  assert.deepEqual(both, []);
});

test("H3 is never confirmed and H4 never rejected", () => {
  const found = allPatterns().map((pattern) => rulings(outcomesOf(pattern)));
  assert.equal(
    found.some((ruling) => ruling.H3.state === "confirmed" || ruling.H4.state === "rejected"),
    false,
  );
});

test("the published confirmed sets come from their patterns", () => {
  assert.deepEqual(
    [confirmed(">>><<<"), confirmed("~~>~~~"), confirmed(">>>~~>")],
    ["H1 H4 H6 H7 H9 H12", "H9", "H1 H4 H5 H7 H9"],
  );
});

test("a muted analysis has no vote, names what mutes it, and asks for care", () => {
  const { H1 } = rulings(outcomesOf("~>~~~<"));
  const because = [{ analysis: "A2", because: "H6", state: "confirmed" }];
  assert.deepEqual([H1.votes, H1.muted, H1.cautions], [[], because, because]);
});

test("A3 votes and flags where H2 is rejected", () => {
  const { H10 } = rulings(outcomesOf(">~<~~~"));
  assert.deepEqual([H10.indicator, H10.cautions.map((caution) => caution.analysis)], [1, ["A3"]]);
});

test("each option changes what it names", () => {
  assert.deepEqual(
    [
      confirmed("<~~~~~", { a1_less_votes_h7_h8: true }),
      confirmed("~<~~~~", { a2_less_votes_h7_h8: false }),
      confirmed("<~~~~~", { less_confirms_h4: false }),
      confirmed(">~<~~~", { caution: "flag" }),
      confirmed("~>~~~<", { caution: "vote" }),
    ],
    ["H2 H4 H8", "H2 H4", "H2", "H1 H4 H7", "H1 H4 H6 H7"],
  );
});

test("a condition is a cell of its own, and what does not bear is empty", () => {
  const found = judged({ patterns: ["~~~~~~"], options: [{}] });
  assert.deepEqual(found[0]?.[0]?.cells, [
    "uuc...",
    "uuc...",
    "uu....",
    "uu....",
    ".c..cu",
    ".c..cu",
    "uuu...",
    "uuu...",
    "..u...",
    "..u...",
    "..uuu.",
    "..uuu.",
  ]);
});
