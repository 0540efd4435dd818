import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { alphaAt, chanceText, sliderPlace, tailStart } from "../src/probe/chances";
import { changed, d, made, textOf } from "../src/probe/drawn";
import { linkWidth } from "../src/probe/links";
import { onAPage, svg } from "../src/probe/picture";
import { conclusions, flipsOf, reading } from "../src/probe/reading";
import { scaleOf } from "../src/probe/scale";
import { chainOf, traceOf } from "../src/probe/trace";
import { HYPOTHESES, partOf, type Verdicts } from "../src/probe/verdicts";

const VERDICTS = JSON.parse(readFileSync(join(process.cwd(), "tests", "verdicts.json"), "utf8")) as Verdicts;
const at = (alpha: number, group: string | null = null) => reading(partOf(VERDICTS, group), VERDICTS.concept, alpha);

test("every hypothesis has a state icon and a name that says its state, in both layouts", () => {
  for (const layout of ["horizontal", "vertical"] as const) {
    const page = made(onAPage(VERDICTS, at(0.05), { layout, pinned: null }).drawn);
    const rows = [...page.querySelectorAll(".row")];
    const labels = rows.map((row) => row.nextElementSibling?.getAttribute("aria-label") ?? "");
    const named = labels.map((label) => /^(H\d+), (confirmed|unproven|rejected), votes /.exec(label)?.[1]);
    assert.deepEqual(named, [...HYPOTHESES]);
    assert.ok(rows.every((row) => row.querySelectorAll(".state").length === 1));
  }
});

test("a still picture says in its description what is confirmed", () => {
  const drawn = svg(VERDICTS, { layout: "vertical" });
  assert.ok(conclusions(at(0.05)).every(({ sentence }) => drawn.includes(sentence)));
});

test("the picture says what Python says at its threshold", () => {
  const told = VERDICTS.hypotheses.map((hypothesis) => hypothesis.state);
  assert.deepEqual(
    HYPOTHESES.map((id) => at(VERDICTS.alpha).states[id]),
    told,
  );
});

test("thresholds that change a verdict are those that Python found", () => {
  const there = (VERDICTS as unknown as { flips: { hypothesis: string; alpha: number; to: string }[] }).flips;
  const key = (flip: { hypothesis: string; alpha: number; to: string }) =>
    `${flip.hypothesis} ${flip.to} ${flip.alpha}`;
  assert.deepEqual(flipsOf(VERDICTS).map(key).sort(), there.map(key).sort());
});

test("every group is judged as Python judged it", () => {
  for (const group of VERDICTS.groups ?? []) {
    assert.deepEqual(
      HYPOTHESES.map((id) => at(group.verdicts.alpha, group.name).states[id]),
      group.verdicts.hypotheses.map((hypothesis) => hypothesis.state),
    );
  }
});

test("a link is wider the smaller its p, and dashed where it does not count", () => {
  assert.ok(linkWidth(0.0001) > linkWidth(0.01) && linkWidth(0.01) > linkWidth(0.5));
  const page = made(onAPage(VERDICTS, at(0.05), { pinned: null }).drawn);
  assert.deepEqual(
    [...page.querySelectorAll(".links .is-alike")].map((link) => link.getAttribute("data-link")),
    ["A5 PD", "A5 MP"],
  );
});

test("a highlighted hypothesis lights its tests and their results, and what mutes them", () => {
  const chain = chainOf(at(0.05), { kind: "hypothesis", id: "H1" });
  assert.deepEqual(
    [[...(chain?.analyses ?? [])], [...(chain?.results ?? [])], [...(chain?.hypotheses ?? [])]],
    [
      ["A1", "A2"],
      ["PP", "MD", "MP"],
      ["H1", "H6"],
    ],
  );
});

test("a trace says who spoke, who was not heard and why, and where to be careful", () => {
  const lines = traceOf(at(0.05), "H1");
  assert.deepEqual(
    lines.map((line) => line.kind),
    ["for", "muted", "caution"],
  );
  assert.match(
    lines[1]?.text ?? "",
    /A2 is not counted, although M\+ on D\+ is higher than M on D\+ .*: H6 is confirmed\./,
  );
});

test("the tails of the curve begin where the normal distribution has them", () => {
  const rounded = [0.05, 0.01, 0.5, 1].map((p) => Number(tailStart(p).toFixed(3)));
  assert.deepEqual(rounded, [1.96, 2.576, 0.674, 0]);
});

test("a chance is never written as nought", () => {
  assert.deepEqual([0, 0.00004, 0.0004, 0.0123, 0.5, 1].map(chanceText), [
    "< 0.0001",
    "< 0.0001",
    "0.0004",
    "0.012",
    "0.50",
    "1.0",
  ]);
});

test("the slider goes from threshold to place and back", () => {
  assert.deepEqual(
    [0.001, 0.01, 0.05, 0.5].map((alpha) => Math.abs(alphaAt(sliderPlace(alpha)) / alpha - 1) < 0.01),
    [true, true, true, true],
  );
});

test("the axis holds every interval between round ticks", () => {
  const scale = scaleOf(VERDICTS.results);
  assert.ok(VERDICTS.results.every((result) => scale.share(result.low) > 0 && scale.share(result.high) < 1));
  assert.ok(
    scale.ticks.length >= 2 &&
      scale.ticks.every(
        (tick) => tick === Number(scale.text(tick)) || Math.abs(tick - Number(scale.text(tick))) < 1e-9,
      ),
  );
});

test("text in a drawing never becomes markup", () => {
  assert.equal(
    textOf(d("text", { "aria-label": '"<' }, "<b>&")),
    '<text aria-label="&quot;&lt;">&lt;b&gt;&amp;</text>',
  );
});

test("a change keeps the element and touches only what differs", () => {
  const [old, now] = [
    d("p", { class: "a", title: "x" }, d("b", {}, "one"), "two"),
    d("p", { class: "b" }, d("b", {}, "one"), "three", d("i", {})),
  ];
  const element = made(old);
  const kept = element.firstChild;
  changed(element, old, now);
  assert.deepEqual(
    [
      element.firstChild === kept,
      element.getAttribute("class"),
      element.hasAttribute("title"),
      element.textContent,
      element.childNodes.length,
    ],
    [true, "b", false, "onethree", 3],
  );
});
