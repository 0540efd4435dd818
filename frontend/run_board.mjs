/** Bundles the board on which journeys draw trials without a server, into the file that is named. */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
await build({
  entryPoints: [join(here, "tests", "board.ts")],
  outfile: process.argv[2],
  bundle: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  // Live models come from a server; nothing drawn here has one.
  external: ["./runtime"],
  loader: { ".wasm": "empty" },
  define: { DECODER_WORKER: '""' },
  logLevel: "warning",
});
