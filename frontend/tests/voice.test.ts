import { strict as assert } from "node:assert";
import { test } from "node:test";

import type { Chunk } from "../src/player/chunks";
import type { StepState } from "../src/player/state";
import { Voice } from "../src/player/voice";
import { en } from "../src/shared/texts/en";

let tracks: { stop(): void; onended: (() => void) | null; isLive: boolean }[] = [];
let recorders: FakeRecorder[] = [];

class FakeRecorder {
  static isTypeSupported = (type: string) => type.startsWith("audio/webm");
  state = "inactive";
  ondataavailable: ((event: { data: Blob }) => void) | null = null;
  onstop: (() => void) | null = null;
  constructor() {
    recorders.push(this);
  }
  start(): void {
    this.state = "recording";
  }
  say(): void {
    this.ondataavailable?.({ data: new Blob(["words"], { type: "audio/webm" }) });
  }
  stop(): void {
    this.state = "inactive";
    this.say();
    this.onstop?.();
  }
}

const getUserMedia = () => {
  const track = {
    isLive: true,
    onended: null,
    stop() {
      track.isLive = false;
    },
  };
  tracks.push(track);
  return Promise.resolve({ getTracks: () => [track] });
};
Object.assign(globalThis, { MediaRecorder: FakeRecorder });
Object.defineProperty(globalThis, "navigator", { value: { mediaDevices: { getUserMedia } }, configurable: true });

const step = (block_id: string, is_recorded?: true) => ({ trial: { block_id }, is_recorded }) as unknown as StepState;
const settled = () => new Promise((resolve) => setTimeout(resolve));

function scene(kept = new Map<string, string>(), send?: () => Promise<void>) {
  tracks = [];
  recorders = [];
  const sent: Chunk[] = [];
  const logged: string[] = [];
  const container = document.createElement("div");
  let now = 0;
  const voice = new Voice({
    texts: en,
    sessionId: "s",
    place: container,
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, value) => void kept.set(name, value),
      removeItem: (name) => void kept.delete(name),
    },
    at_ms: () => (now += 1),
    log: (action) => void logged.push(action),
    send: send ?? (async (chunk) => void sent.push(chunk)),
  });
  const words = () => container.querySelector("[role=status]")?.textContent;
  return { voice, sent, logged, container, words, press: () => container.querySelector("button")?.click() };
}

test("it records in the blocks agreed to and lets the microphone go after them", async () => {
  const { voice, sent, container, words } = scene();
  voice.follow(step("predict", true));
  await settled();
  assert.deepEqual([container.hidden, words(), tracks[0]?.isLive], [false, en.voice.on, true]);
  voice.follow(step("after"));
  await settled();
  assert.deepEqual([container.hidden, tracks[0]?.isLive], [true, false]);
  assert.deepEqual(
    sent.map((chunk) => [chunk.block, chunk.number]),
    [["predict", 1]],
  );
});

test("steps of one block are one part, and another block is another", async () => {
  const { voice } = scene();
  for (const block of ["predict", "predict", "explain"]) {
    voice.follow(step(block, true));
    await settled();
  }
  assert.equal(recorders.length, 2);
});

test("a pause holds through a reload until somebody records again", async () => {
  const kept = new Map<string, string>();
  const before = scene(kept);
  before.voice.follow(step("predict", true));
  await settled();
  before.press();
  const after = scene(kept);
  after.voice.follow(step("predict", true));
  await settled();
  assert.deepEqual([after.words(), recorders.length], [en.voice.paused, 0]);
  after.press();
  await settled();
  assert.deepEqual([after.words(), recorders.length], [en.voice.on, 1]);
});

test("a pause that comes before the microphone does is heeded", async () => {
  const { voice, press } = scene();
  voice.follow(step("predict", true));
  press();
  await settled();
  assert.deepEqual([recorders.length, tracks[0]?.isLive], [0, false]);
});

test("a microphone that is taken away is said and logged, and nothing else happens", async () => {
  const { voice, logged, words } = scene();
  voice.follow(step("predict", true));
  await settled();
  tracks[0]?.onended?.();
  await settled();
  assert.deepEqual([words(), logged.at(-2), logged.at(-1)], [en.voice.off, "recording_lost", "recording_stopped"]);
});

test("a server that never answers does not hold the recording up", async () => {
  const { voice, words } = scene(new Map(), () => new Promise(() => undefined));
  voice.follow(step("predict", true));
  await settled();
  recorders[0]?.say();
  await settled();
  assert.equal(words(), en.voice.on);
  voice.follow(null);
});
