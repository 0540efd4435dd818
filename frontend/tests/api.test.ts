import { strict as assert } from "node:assert";
import { test } from "node:test";

import { Api, Unreachable } from "../src/player/api";

/** Says nothing until it is no longer listened to. */
const deaf: typeof fetch = (_address, request) =>
  new Promise((_, reject) => {
    const open = setInterval(() => undefined, 1000);
    request?.signal?.addEventListener("abort", () => {
      clearInterval(open);
      reject(new Error("aborted"));
    });
  });

test("a connection that never answers counts as away", async () => {
  const api = new Api("/s/study", null, deaf, 5);
  await assert.rejects(api.state(), Unreachable);
});
