import { strict as assert } from "node:assert";
import { test } from "node:test";

import { whereWords } from "../src/preview/bar";
import { blocksOf, contentsView } from "../src/preview/contents";
import { PreviewHost } from "../src/preview/host";
import { neighbour, placeFrom } from "../src/preview/places";
import type { PreviewContents, PreviewPage } from "../src/schema";

function page(number: number, block: string, position = 0, n_positions = 1): PreviewPage {
  const others = block === "predict" && position === 0 ? [{ trial_id: "other", label: "case 9" }] : [];
  return {
    number,
    trial_id: `t${number}`,
    block,
    task: "judge",
    purpose: "main",
    label: block,
    position,
    n_positions,
    others,
  };
}

const PAGES = [page(1, "consent"), page(2, "predict", 0, 2), page(3, "predict", 1, 2)];
const CONTENTS: PreviewContents = {
  name: "s",
  title: "A study",
  language: "en",
  digest: "d",
  conditions: [{ name: "shown", levels: {}, parts: [{ title: "", pages: PAGES }], n_pages: 3, outcome: "completed" }],
};

function at(query: string) {
  return placeFrom(new URLSearchParams(query), CONTENTS);
}

test("an address without a known condition opens the contents", () => {
  assert.deepEqual([at(""), at("condition=other&page=2")], [null, null]);
});

test("a page number beyond the last one opens the end", () => {
  assert.deepEqual([at("condition=shown&page=99")?.page, at("condition=shown&page=x")?.page], [4, 1]);
});

test("pages are turned from the first to the end and no further", () => {
  const [first, end] = [at("condition=shown&page=1"), at("condition=shown&page=4")];
  assert.ok(first && end);
  assert.deepEqual(
    [neighbour(first, -1), neighbour(first, 1), neighbour(end, 1)],
    [null, "?condition=shown&page=2&lang=en", null],
  );
});

test("the bar says which page this is", () => {
  const [third, end] = [at("condition=shown&page=3"), at("condition=shown&page=4")];
  assert.ok(third && end);
  assert.deepEqual([whereWords(third), whereWords(end)], ["Page 3 of 3 · predict 2 of 2", "The end"]);
});

test("pages of one block are listed together", () => {
  assert.deepEqual(
    blocksOf(PAGES).map((pages) => pages.length),
    [1, 2],
  );
});

test("every page and every further item has a link in the contents", () => {
  const links = [...contentsView(CONTENTS).querySelectorAll("a")].map((link) => link.getAttribute("href"));
  const pages = links.map((link) => new URLSearchParams(link ?? "").get("page"));
  assert.deepEqual(pages, ["1", "2", "3", "2", "4"]);
  assert.ok(links.some((link) => link?.includes("trial=other")));
});

test("a preview sends nothing anywhere", async () => {
  const host = new PreviewHost("s", () => assert.fail("something was sent"));
  for (const call of [() => host.send(), () => host.start(), () => host.withdraw()]) await assert.rejects(call);
});
