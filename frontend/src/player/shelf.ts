/** Where the outbox keeps its events: IndexedDB, or memory where the browser has none to offer. */

import { changeStore, keysOfSession, openedDatabase, readStore } from "../shared/database";
import type { PageEvent } from "./state";

export interface Shelf {
  all(sessionId: string): Promise<PageEvent[]>;
  put(sessionId: string, event: PageEvent): Promise<void>;
  /** Replaces everything kept for a session. */
  replace(sessionId: string, events: readonly PageEvent[]): Promise<void>;
  clear(): Promise<void>;
}

const STORE = "events";

/** Opens the shelf that survives a reload; one in memory when that is refused. */
export async function openShelf(name = "understudy"): Promise<Shelf> {
  try {
    return new DatabaseShelf(await openedDatabase(name, (database) => database.createObjectStore(STORE)));
  } catch {
    return new MemoryShelf();
  }
}

class DatabaseShelf implements Shelf {
  constructor(private readonly database: IDBDatabase) {}

  all(sessionId: string): Promise<PageEvent[]> {
    return readStore(this.database, STORE, (store) => store.getAll(keysOfSession(sessionId)));
  }

  put(sessionId: string, event: PageEvent): Promise<void> {
    return changeStore(this.database, STORE, (store) => store.put(event, [sessionId, event.seq]));
  }

  replace(sessionId: string, events: readonly PageEvent[]): Promise<void> {
    return changeStore(this.database, STORE, (store) => {
      store.delete(keysOfSession(sessionId));
      for (const event of events) store.put(event, [sessionId, event.seq]);
    });
  }

  clear(): Promise<void> {
    return changeStore(this.database, STORE, (store) => store.clear());
  }
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

  clear(): Promise<void> {
    return this.replace("", []);
  }
}
