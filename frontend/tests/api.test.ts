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

test("the secret of a first request stays until it is answered, and leaves nothing behind", async () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const sent: string[] = [];
  const said = [null, { refused: "known" }, { token: "session.signature" }];
  const server: typeof fetch = async (_address, request) => {
    sent.push(JSON.parse(String(request?.body)).knock);
    const reply = said.shift();
    if (!reply) throw new TypeError("the answer got lost");
    return Response.json(reply);
  };
  const secrets = () => [...kept.keys()].filter((key) => key.includes("knock"));

  await assert.rejects(new Api("/s/study", storage, server).start({}, "en", false), Unreachable);
  assert.equal(secrets().length, 1);
  const reloaded = new Api("/s/study", storage, server);
  await reloaded.start({}, "en", false);
  assert.equal(sent[1], sent[0]);
  assert.deepEqual(secrets(), []);
  await reloaded.start({}, "en", false);
  assert.deepEqual([...kept.keys()], ["understudy:token:study"]);
});
