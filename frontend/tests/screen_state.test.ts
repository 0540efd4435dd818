import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { h } from "../src/shared/dom";
import { screenDigest, screenLines } from "../src/shared/screen_state";
import { sha256 } from "../src/shared/sha256";

test("the digest is the one everybody else computes, whatever the length", () => {
  const texts = ["", "abc", "Größe ✓ 漢字 🙂", ...[55, 56, 63, 64, 65, 119, 1000].map((n) => "x".repeat(n))];
  const wanted = texts.map((text) => createHash("sha256").update(text).digest("hex"));
  assert.deepEqual(texts.map(sha256), wanted);
});

function screen(): HTMLElement {
  const film = h("video", { src: "/lab/m/digest/film.webm" });
  const details = h("details", {}, h("summary", {}, "Transcript"), h("p", {}, "Spoken words"));
  return h(
    "div",
    {},
    h("h1", {}, "  Case\n 1 "),
    h("p", { hidden: true }, "not seen"),
    h("p", { "aria-live": "polite" }, "only heard"),
    h("input", { type: "radio", name: "a" }),
    h("input", { type: "range", min: 0, max: 10, value: 3 }),
    h("input", { type: "text", lang: "en", inputmode: "decimal", value: "1,50" }),
    h("textarea", {}, "two\nlines"),
    h("button", { disabled: true }, "↑"),
    h("img", { src: "/m/digest/face.png" }),
    film,
    details,
  );
}

test("a screen is what can be read and what stands in its controls", () => {
  assert.deepEqual(screenLines(screen()), [
    "text Case 1",
    "radio unset",
    'range "3"',
    "text 1.5",
    'textarea "two\\nlines"',
    "button disabled",
    "text ↑",
    "img digest/face.png",
    "video digest/film.webm",
    "details closed",
    "text Transcript",
  ]);
});

test("where the page lies does not change its state", () => {
  const [here, there] = [screen(), screen()];
  there.querySelector("img")?.setAttribute("src", "https://lab.example/understudy/m/digest/face.png");
  assert.equal(screenDigest(here), screenDigest(there));
});

const CHANGES: Record<string, (drawn: HTMLElement) => void> = {
  "another word": (drawn) => drawn.querySelector("h1")?.append("!"),
  "a ticked option": (drawn) => ((drawn.querySelector("input[type=radio]") as HTMLInputElement).checked = true),
  "a moved slider": (drawn) => ((drawn.querySelector("input[type=range]") as HTMLInputElement).value = "4"),
  "another number": (drawn) => ((drawn.querySelector("input[type=text]") as HTMLInputElement).value = "1.51"),
  "other writing": (drawn) => ((drawn.querySelector("textarea") as HTMLTextAreaElement).value = "two lines"),
  "an open button": (drawn) => ((drawn.querySelector("button") as HTMLButtonElement).disabled = false),
  "another picture": (drawn) => drawn.querySelector("img")?.setAttribute("src", "/m/digest/other.png"),
  "an open transcript": (drawn) => ((drawn.querySelector("details") as HTMLDetailsElement).open = true),
  "something shown": (drawn) => ((drawn.querySelector("p") as HTMLElement).hidden = false),
};

for (const [name, change] of Object.entries(CHANGES)) {
  test(`${name} makes another state`, () => {
    const changed = screen();
    change(changed);
    assert.notEqual(screenDigest(screen()), screenDigest(changed));
  });
}
