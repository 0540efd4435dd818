import { strict as assert } from "node:assert";
import { test } from "node:test";
import { deflateSync } from "node:zlib";

import { type Look, smallPicture, unpacked } from "../src/views/small_pictures";

const LINES: Look = { view: "line", shape: [2], limits: [-1, 1], packing: "f32" };
const GREYS: Look = { view: "image", shape: [1, 2], limits: [0, 2], packing: "zlib-u8" };

test("lines come back exactly, one array for each picture", async () => {
  const packed = Buffer.from(Float32Array.of(0.5, -1, 1, 0).buffer).toString("base64");
  assert.deepEqual(
    (await unpacked(packed, LINES)).map((picture) => [...picture]),
    [
      [0.5, -1],
      [1, 0],
    ],
  );
});

test("greys come back between their limits", async () => {
  const packed = deflateSync(Uint8Array.of(0, 255, 51, 0)).toString("base64");
  const rounded = (await unpacked(packed, GREYS)).map((picture) =>
    [...picture].map((value) => Number(value.toFixed(3))),
  );
  assert.deepEqual(rounded, [
    [0, 2],
    [0.4, 0],
  ]);
});

test("a line is drawn from the bottom of its limits to their top", () => {
  const picture = smallPicture(LINES);
  picture.draw(Float32Array.of(-1, 1));
  assert.equal(picture.element.querySelector("polyline")?.getAttribute("points"), "0.00,100.00 100.00,0.00");
});

test("a picture without words is passed over by those who listen", () => {
  assert.deepEqual(
    [
      smallPicture(LINES).element.getAttribute("aria-hidden"),
      smallPicture(LINES, "A line").element.getAttribute("aria-label"),
    ],
    ["true", "A line"],
  );
});
