import { strict as assert } from "node:assert";
import { test } from "node:test";

import { Refused, Unreachable } from "../src/player/api";
import { type Chunk, Chunks } from "../src/player/chunks";

const chunk = (number: number, started_ms = 1): Chunk => ({
  block: "predict",
  started_ms,
  number,
  content: new Blob(["0123456789"]),
});

/** A server that keeps numbers of chunks, and answers as it is told first. */
function serverOf(...answers: (Error | null)[]) {
  const stored: string[] = [];
  const send = async ({ started_ms, number }: Chunk) => {
    const answer = answers.shift() ?? null;
    if (answer) throw answer;
    stored.push(`${started_ms}:${number}`);
  };
  return { stored, send };
}

/** Sends these chunks and returns when nothing waits any more. */
async function sent(server: ReturnType<typeof serverOf>, chunks: Chunk[], waits: number[] = []): Promise<string[]> {
  const refused: string[] = [];
  await new Promise<void>((emptied) => {
    const wait = async (ms: number) => void waits.push(ms);
    const queue = new Chunks(
      server.send,
      { refused: ({ number }, reason) => refused.push(`${number} ${reason}`), emptied },
      wait,
    );
    for (const pending of chunks) queue.add(pending);
  });
  return refused;
}

test("chunks arrive in order after the connection was away, with longer and longer pauses", async () => {
  const server = serverOf(null, new Unreachable(), new Unreachable(), new Unreachable());
  const waits: number[] = [];
  await sent(server, [chunk(1), chunk(2), chunk(3)], waits);
  assert.deepEqual(server.stored, ["1:1", "1:2", "1:3"]);
  assert.deepEqual(waits, [1000, 2000, 4000]);
});

test("a refused part is given up whole and said so, and the next part goes on", async () => {
  const server = serverOf(new Refused(413, { error: "Too much." }));
  const refused = await sent(server, [chunk(1), chunk(2), chunk(1, 9)]);
  assert.deepEqual([server.stored, refused], [["9:1"], ["1 Too much."]]);
});

test("memory is bounded: what does not fit is not taken", () => {
  const never = new Promise<void>(() => undefined);
  const queue = new Chunks(() => never, { refused: () => undefined, emptied: () => undefined }, undefined, 25);
  assert.deepEqual([queue.add(chunk(1)), queue.add(chunk(2)), queue.add(chunk(3))], [true, true, false]);
});
