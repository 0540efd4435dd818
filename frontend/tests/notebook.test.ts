/** The player in a notebook: its calls are messages, and its files are there before anything is shown. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOfBytes } from "../src/notebook/bridge";
import { notebookHost } from "../src/notebook/host";

const STATE = {
  study: { digest: "d1", name: "a study" },
  preload: ["p.png"],
  step: null,
  ended: null,
  next_seq: 1,
  skin: {},
};

function asked(answers: Record<string, Response>) {
  const paths: string[] = [];
  const fetched = (input: RequestInfo | URL) => {
    paths.push(String(input));
    return Promise.resolve((answers[String(input)] ?? new Response("", { status: 404 })).clone());
  };
  return { paths, fetched: fetched as typeof fetch };
}

test("files that the next pages show are fetched once, before the state is handed on", async () => {
  const { paths, fetched } = asked({
    "/api/s/a%20study/state": Response.json(STATE),
    "/m/d1/p.png": new Response("picture"),
  });
  const host = notebookHost({ fetched }, "a study", "abc.def");
  await host.start({}, "en", false);
  await host.state();
  assert.deepEqual(paths, ["/api/s/a%20study/state", "/m/d1/p.png", "/api/s/a%20study/state"]);
  assert.match(host.media("d1", "p.png"), /^blob:/);
  assert.equal(host.sessionId, "abc");
});

test("a file that Python does not have is an error, and not a broken picture", async () => {
  const { fetched } = asked({ "/api/s/a%20study/state": Response.json(STATE) });
  const host = notebookHost({ fetched }, "a study", "abc.def");
  await assert.rejects(host.start({}, "en", false), /p\.png could not be read/);
});

test("bytes of another page become a file of this one", async () => {
  const view = new DataView(new TextEncoder().encode("-hello-").buffer, 1, 5);
  const response = await fetch(addressOfBytes("words.svg", view));
  assert.equal(await response.text(), "hello");
});
