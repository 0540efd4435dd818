/** Bundles one script of the front end and imports it, so that Node can run what pages run. */

import { mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

/** Returns the exports of a script, named by its path under `src`. */
export async function bundled(...path) {
  const target = await mkdtemp(join(here, "node_modules", ".bundled-"));
  const outfile = join(target, "script.mjs");
  await build({
    entryPoints: [join(here, "src", ...path)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  const exports = await import(pathToFileURL(outfile).href);
  await rm(target, { recursive: true });
  return exports;
}
