/**
 * Reads JSON from standard input and prints what the rules of a page say: those of the picture about patterns of outcomes
 * and options, or those of a study (trees) about quantities (names).
 */

import { text } from "node:stream/consumers";

import { bundled } from "./bundled.mjs";

const asked = JSON.parse(await text(process.stdin));
if ("trees" in asked) {
  const { holds } = await bundled("static", "rules.ts");
  console.log(JSON.stringify(asked.trees.map((tree) => asked.names.map((names) => holds(tree, names)))));
} else {
  const { judged } = await bundled("probe", "judging.ts");
  console.log(JSON.stringify(judged(asked)));
}
