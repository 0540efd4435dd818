/** Reads patterns of outcomes and options as JSON from standard input, and prints what the rules of the picture say. */

import { text } from "node:stream/consumers";

import { bundled } from "./bundled.mjs";

const { judged } = await bundled("probe", "judging.ts");
console.log(JSON.stringify(judged(JSON.parse(await text(process.stdin)))));
