import { strict as assert } from "node:assert";
import { afterEach, test } from "node:test";

import { IDBKeyRange, indexedDB } from "fake-indexeddb";

import { Refused, Unreachable } from "../src/player/api";
import { type Notices, Outbox, type Sender } from "../src/player/outbox";
import { openShelf } from "../src/player/shelf";
import type { EventsReply, PageEvent, State } from "../src/player/state";

Object.assign(globalThis, { IDBKeyRange, indexedDB });

const quiet: Notices = { connection: () => undefined, overtaken: () => undefined };
/** What a tab keeps over a reload, as far as the outbox uses it. */
const kept = new Map<string, string>();
const tab = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
} as unknown as Storage;
let opened: Outbox[] = [];
let n = 0;

afterEach(() => {
  opened.forEach((outbox) => outbox.close());
  opened = [];
});

function stateAt(next_seq: number, number = 0): State {
  const step = { number, trial: { trial_id: `t${number}` }, saved: [], shown_seq: false };
  return { next_seq, step, ended: null, study: { name: "s" } } as unknown as State;
}

/** A server that keeps what it is sent, in order, and can be away. */
class Server implements Sender {
  stored: PageEvent[] = [];
  isAway = false;
  refuses: ((events: readonly PageEvent[]) => void) | null = null;

  /** The numbers of the stored events, in their order. */
  numbers(): number[] {
    return this.stored.map((event) => event.seq);
  }

  send(events: readonly PageEvent[]): Promise<EventsReply> {
    if (this.isAway) return Promise.reject(new Unreachable());
    try {
      this.refuses?.(events);
    } catch (error) {
      return Promise.reject(error as Error);
    }
    for (const event of events) if (event.seq === this.stored.length + 1) this.stored.push(event);
    return Promise.resolve({ acknowledged_seq: this.stored.length, state: stateAt(this.stored.length + 1) });
  }

  state(): Promise<State> {
    return this.isAway ? Promise.reject(new Unreachable()) : Promise.resolve(stateAt(this.stored.length + 1));
  }
}

function freshSession(): string {
  n += 1;
  return `session-${n}`;
}

async function outboxOf(server: Sender, sessionId = freshSession(), notices = quiet): Promise<Outbox> {
  const outbox = new Outbox(sessionId, await openShelf(tab), server, notices);
  opened.push(outbox);
  return outbox;
}

const moved = { type: "interacted", step: 0, trial_id: "t0", at_ms: 1, action: "moved", payload: {} } as const;
const answered = {
  type: "response_given",
  step: 0,
  trial_id: "t0",
  at_ms: 2,
  response: {},
  rt_ms: 1,
  active_ms: 1,
} as const;

test("events are numbered from where the server stands", async () => {
  const server = new Server();
  server.stored = [{ ...moved, seq: 1 }];
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(2));
  outbox.add(moved);
  await outbox.flush();
  assert.deepEqual(server.numbers(), [1, 2]);
});

test("an answer given offline is delivered when the connection is back", async () => {
  const server = new Server();
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(1));
  server.isAway = true;
  const delivery = outbox.deliver(answered);
  await outbox.flush(true);
  server.isAway = false;
  outbox.hurry();
  assert.ok("state" in (await delivery));
  assert.equal(server.stored.length, 1);
});

test("a page that dies offline leaves its events to the next one", async () => {
  const server = new Server();
  server.isAway = true;
  const first = await outboxOf(server, "crashed");
  await first.open(stateAt(1));
  first.add(moved);
  first.add(moved);
  await first.flush(true);
  first.close();
  server.isAway = false;
  const second = await outboxOf(server, "crashed");
  await second.open(stateAt(1));
  assert.deepEqual(server.numbers(), [1, 2]);
});

/** Ends a page at once: the tab has what it had then, and the database has `shelved`, since it did not finish. */
async function dies(page: Outbox, sessionId: string, shelved: readonly PageEvent[]): Promise<void> {
  page.leave();
  const left = [...kept];
  page.close();
  await (await openShelf(null)).replace(sessionId, shelved);
  for (const [key, value] of left) kept.set(key, value);
}

test("a page that goes away before its database has the last event leaves it to the next one", async () => {
  const server = new Server();
  server.isAway = true;
  const first = await outboxOf(server, "hurried");
  await first.open(stateAt(1));
  first.add(moved);
  await dies(first, "hurried", []);
  server.isAway = false;
  const second = await outboxOf(server, "hurried");
  const state = await second.open(stateAt(1));
  assert.deepEqual([server.numbers(), state.next_seq, kept.size], [[1], 2, 0]);
});

test("a page that goes away while its events get new numbers leaves each of them once", async () => {
  const events = [1, 2, 3].map((at_ms) => ({ ...moved, at_ms }));
  const server = new Server();
  server.isAway = true;
  const first = await outboxOf(server, "renumbered");
  await first.open(stateAt(2));
  for (const event of events) first.add(event);
  await dies(
    first,
    "renumbered",
    events.map((event, index) => ({ ...event, seq: index + 1 })),
  );
  server.stored = [{ ...moved, seq: 1, at_ms: 0 }];
  server.isAway = false;
  await (await outboxOf(server, "renumbered")).open(stateAt(2));
  assert.deepEqual(
    server.stored.map(({ at_ms }) => at_ms),
    [0, 1, 2, 3],
  );
});

test("a tab that has all it left in its database keeps no second copy", async () => {
  const server = new Server();
  server.isAway = true;
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(1));
  outbox.add(moved);
  await outbox.flush(true);
  outbox.leave();
  assert.equal(kept.size, 0);
});

test("what waits is sent before a page is drawn that would not show it", async () => {
  const server = new Server();
  server.isAway = true;
  const first = await outboxOf(server, "away");
  await first.open(stateAt(1));
  first.add(moved);
  await first.flush(true);
  first.close();
  const second = await outboxOf(server, "away");
  let isOpen = false;
  const state = second.open(stateAt(1)).finally(() => (isOpen = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const wasOpen = isOpen;
  server.isAway = false;
  second.hurry();
  assert.deepEqual([wasOpen, (await state).next_seq], [false, 2]);
});

test("after the end, nothing of a session stays on the computer", async () => {
  const server = new Server();
  server.isAway = true;
  const outbox = await outboxOf(server, "over");
  await outbox.open(stateAt(1));
  outbox.add(moved);
  outbox.leave();
  outbox.forget();
  outbox.add(moved);
  outbox.leave();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual([await (await openShelf(tab)).all("over"), kept.size], [[], 0]);
});

test("an event that arrived while the page went away is known to the next one, which was told less", async () => {
  const server = new Server();
  const first = await outboxOf(server, "reloaded");
  const toldTooEarly = await first.open(stateAt(1));
  first.add(moved);
  first.leave();
  first.close();
  const second = await outboxOf(server, "reloaded");
  const state = await second.open(toldTooEarly);
  assert.deepEqual([server.numbers(), state.next_seq], [[1], 2]);
});

test("what is acknowledged is not sent again", async () => {
  const server = new Server();
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(1));
  outbox.add(moved);
  await outbox.flush();
  assert.equal(outbox.nPending, 0);
});

test("a lost acknowledgement is mended by the resend", async () => {
  const server = new Server();
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(1));
  outbox.add(moved);
  const sent = server.send.bind(server);
  let nSent = 0;
  server.send = (events) => {
    nSent += 1;
    const answer = sent(events);
    return nSent === 1 ? Promise.reject(new Unreachable()) : answer;
  };
  await outbox.flush(true);
  await outbox.flush(true);
  assert.deepEqual([server.stored.length, outbox.nPending, nSent], [1, 0, 2]);
});

test("a gap is closed by numbering anew", async () => {
  const server = new Server();
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(5));
  server.refuses = (events) => {
    if (events[0]?.seq !== 1) throw new Refused(409, { expected_seq: 1 });
  };
  outbox.add(moved);
  await outbox.flush();
  assert.deepEqual(server.numbers(), [1]);
});

test("a page that was told more than the server still has says so", async () => {
  const server = new Server();
  const told: boolean[] = [];
  const outbox = await outboxOf(server, undefined, {
    connection: () => undefined,
    overtaken: (_, isLost) => void told.push(isLost),
  });
  await outbox.open(stateAt(5));
  server.refuses = (events) => {
    if (events[0]?.seq !== 1) throw new Refused(409, { expected_seq: 1, is_lost: true });
  };
  outbox.add(moved);
  await outbox.flush();
  assert.deepEqual([told, server.numbers()], [[true], [1]]);
});

test("a session the server does not know is no lost connection", async () => {
  const server = new Server();
  const unknown = () => {
    throw new Refused(401, {});
  };
  server.refuses = unknown;
  server.state = () => Promise.resolve().then(unknown);
  const told: string[] = [];
  const outbox = await outboxOf(server, undefined, {
    connection: () => void told.push("away"),
    overtaken: () => void told.push("over"),
  });
  await outbox.open(stateAt(1));
  outbox.add(moved);
  await outbox.flush();
  assert.deepEqual(told, ["over"]);
});

test("a refused answer comes back with its reason and is not kept", async () => {
  const server = new Server();
  server.refuses = () => {
    throw new Refused(422, { error: "not a possible answer" });
  };
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(1));
  assert.deepEqual(await outbox.deliver(answered), { refusal: "not a possible answer" });
  assert.equal(outbox.nPending, 0);
});

test("a refused answer takes nothing else down with it", async () => {
  const server = new Server();
  server.refuses = (events) => {
    if (events.some((event) => event.type === "response_given")) throw new Refused(422, { error: "no" });
  };
  const outbox = await outboxOf(server);
  await outbox.open(stateAt(1));
  outbox.add(moved);
  await outbox.deliver(answered);
  await outbox.flush(true);
  assert.deepEqual(
    server.stored.map((event) => event.type),
    ["interacted"],
  );
});

test("the page hears when the connection goes and comes back", async () => {
  const heard: boolean[] = [];
  const server = new Server();
  server.isAway = true;
  const outbox = await outboxOf(server, undefined, {
    ...quiet,
    connection: (isThere: boolean) => heard.push(isThere),
  } as never);
  await outbox.open(stateAt(1));
  outbox.add(moved);
  await outbox.flush(true);
  server.isAway = false;
  await outbox.flush(true);
  assert.deepEqual(heard, [false, true]);
});
