/** Figures without a page: how wide a text is taken to be, and that a drawing is there once waiting work is done. */

import { strict as assert } from "node:assert";
import { test } from "node:test";

import { draw } from "../src/figures/drawing";
import { textWidth } from "../src/figures/text_width";

test("a text is as wide as its letters in the widest font", () => {
  assert.ok(Math.abs(textWidth("0.55]", 10) - 26.2) < 1e-9);
  assert.ok(textWidth("Wide", 12) > textWidth("lift", 12));
  assert.equal(textWidth("n", 10, "bold"), textWidth("n", 10, 700));
  assert.ok(textWidth("n", 10, 600) > textWidth("n", 10));
});

test("a specification becomes SVG, and a label is not cut off", async () => {
  const label = "−0.152 [−0.857, 0.555]";
  const drawn = draw({
    data: { values: [{ label }] },
    mark: "text",
    encoding: { text: { field: "label" } },
    padding: 0,
  });
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.match(drawn.svg ?? "", /^<svg .*−0\.857/s);
  const width = Number(/ width="(\d+)"/.exec(drawn.svg ?? "")?.[1]);
  assert.ok(width >= textWidth(label, 11), `${width} px`);
});

test("a specification that cannot be drawn says so", () => {
  assert.throws(() => draw({ mark: "nothing" } as never));
});
