/** Where the outbox keeps its events: IndexedDB, or memory where the browser has none to offer. */

import { changeStore, keysOfSession, openedDatabase, readStore } from "../shared/database";
import type { PageEvent } from "./state";

export interface Shelf {
  all(sessionId: string): Promise<PageEvent[]>;
  put(sessionId: string, event: PageEvent): Promise<void>;
  /** Replaces everything kept for a session. */
  replace(sessionId: string, events: readonly PageEvent[]): Promise<void>;
  /** Keeps everything that waits, at once: a page that goes away does not live to see its database finish. */
  keepNow(sessionId: string, events: readonly PageEvent[]): void;
}

const STORE = "events";

/** Opens the shelf that survives a reload; one in memory when that is refused. */
export async function openShelf(tab: Storage | null, name = "understudy"): Promise<Shelf> {
  try {
    return new DatabaseShelf(await openedDatabase(name, (database) => database.createObjectStore(STORE)), tab);
  } catch {
    return new MemoryShelf();
  }
}

class DatabaseShelf implements Shelf {
  /** Changes that the database has not finished, or could not make: without them, it does not have all that waits. */
  #nOpen = 0;

  constructor(
    private readonly database: IDBDatabase,
    /** Slower and small, but written when the call returns. */
    private readonly tab: Storage | null,
  ) {}

  async all(sessionId: string): Promise<PageEvent[]> {
    const shelved: PageEvent[] = await readStore(this.database, STORE, (store) =>
      store.getAll(keysOfSession(sessionId)),
    );
    // What the tab has is newer, and may have other numbers than the database still has for the same events.
    const kept: PageEvent[] = JSON.parse(this.tab?.getItem(keyOf(sessionId)) ?? "[]");
    const known = new Set(kept.map(withoutNumber));
    const last = kept.at(-1)?.seq ?? 0;
    return [...kept, ...shelved.filter((event) => event.seq > last && !known.has(withoutNumber(event)))];
  }

  put(sessionId: string, event: PageEvent): Promise<void> {
    return this.#change(sessionId, (store) => store.put(event, [sessionId, event.seq]));
  }

  replace(sessionId: string, events: readonly PageEvent[]): Promise<void> {
    if (events.length === 0) this.tab?.removeItem(keyOf(sessionId));
    return this.#change(sessionId, (store) => {
      store.delete(keysOfSession(sessionId));
      for (const event of events) store.put(event, [sessionId, event.seq]);
    });
  }

  keepNow(sessionId: string, events: readonly PageEvent[]): void {
    if (this.#nOpen === 0) return;
    try {
      this.tab?.setItem(keyOf(sessionId), JSON.stringify(events));
    } catch {
      // The tab's few megabytes are full: the database has all but what happened in the last moment.
    }
  }

  /** Changes are made in the order in which they are asked for; after the last, the database has all that the tab has. */
  async #change(sessionId: string, change: (store: IDBObjectStore) => unknown): Promise<void> {
    this.#nOpen += 1;
    await changeStore(this.database, STORE, change);
    this.#nOpen -= 1;
    if (this.#nOpen === 0) this.tab?.removeItem(keyOf(sessionId));
  }
}

function withoutNumber(event: PageEvent): string {
  return JSON.stringify({ ...event, seq: 0 });
}

function keyOf(sessionId: string): string {
  return `understudy-waiting:${sessionId}`;
}

/** Keeps events as long as the page lives. */
export class MemoryShelf implements Shelf {
  #events: PageEvent[] = [];

  all(): Promise<PageEvent[]> {
    return Promise.resolve([...this.#events]);
  }

  put(_sessionId: string, event: PageEvent): Promise<void> {
    this.#events.push(event);
    return Promise.resolve();
  }

  replace(_sessionId: string, events: readonly PageEvent[]): Promise<void> {
    this.#events = [...events];
    return Promise.resolve();
  }

  keepNow(): void {
    // Gone with the page, as is everything in memory.
  }
}
