/** Browser modules of extensions: what is loaded, what is registered, and what is refused in a sentence. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { understudy } from "../src/extensions/api";
import { loadModules, moduleAddresses } from "../src/extensions/modules";
import type { Drawn, ExtensionModule, Understudy } from "../src/extensions/understudy-extension";
import type { BrowserModules, Json } from "../src/schema";
import { standalone } from "../src/shared/task";
import { taskNamed } from "../src/tasks";
import { explanationView } from "../src/views";

const ADDRESS = `${"a".repeat(64)}.js`;
const HELPERS: (keyof Understudy)[] = [
  "version",
  "h",
  "svg",
  "freshId",
  "words",
  "prose",
  "page",
  "form",
  "explanation",
  "item",
];

const listed = (tasks: string[], kinds: string[]): BrowserModules => ({
  tasks: Object.fromEntries(tasks.map((name) => [name, ADDRESS])),
  kinds: Object.fromEntries(kinds.map((name) => [name, ADDRESS])),
});
const media = (address: string) => `media/${address}`;
const loaded = (modules: BrowserModules, module: object) =>
  loadModules(modules, media, () => Promise.resolve(module as Partial<ExtensionModule>));
const drawing = (made: Drawn): ExtensionModule => ({ version: 1, default: () => made });
const page = () => ({ press: () => undefined });

test("a module is fetched once, from where the page is, and draws what the study lists", async () => {
  const asked: string[] = [];
  const view = ({ text }: Json) => understudy.h("p", {}, `ranked ${String(text)}`);
  const module = drawing({ tasks: { point: page, other: page }, views: { ranking: view } });
  await loadModules(listed(["point"], ["ranking"]), media, (url) => {
    asked.push(url);
    return Promise.resolve(module);
  });
  assert.deepEqual(asked, [new URL(media(ADDRESS), document.baseURI).href]);
  assert.equal(taskNamed("point")?.info.name, "point");
  assert.equal(taskNamed("other"), undefined);
  assert.equal(explanationView({ kind: "ranking", text: "first" }, standalone()).textContent, "ranked first");
});

test("the same file is one address, whatever it draws", () => {
  assert.deepEqual(moduleAddresses(listed(["a", "b"], ["c"])), [ADDRESS]);
});

test("the helpers are those that the types declare", () => {
  assert.deepEqual(Object.keys(understudy), HELPERS);
  assert.throws(() => Reflect.get(understudy, "innerHTML"), /understudy has no helper innerHTML; it has: version, h/);
});

for (const [what, module, sentence] of [
  ["of another version", { version: 2, default: () => ({}) }, /asks for version 2 .* this page has version 1/],
  ["without a version", { default: () => ({}) }, /says no version/],
  ["without a function", { version: 1 }, /has no function as its default export/],
  ["that does not draw its task", drawing({}), /does not draw the task point/],
] as const) {
  test(`a module ${what} is refused in a sentence`, async () => {
    await assert.rejects(loaded(listed(["point"], []), module), sentence);
  });
}

test("a module replaces nothing that is built in", async () => {
  await assert.rejects(
    loaded(listed(["judge"], []), drawing({ tasks: { judge: page } })),
    /the task judge is built in/,
  );
  await assert.rejects(
    loaded(listed([], ["heatmap"]), drawing({ views: { heatmap: () => document.createElement("p") } })),
    /the explanation kind heatmap has a view already/,
  );
});
