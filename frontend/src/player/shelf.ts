/** Where the outbox keeps its events: IndexedDB, or memory where the browser has none to offer. */

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
    return new DatabaseShelf(await opened(name));
  } catch {
    return new MemoryShelf();
  }
}

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no database"));
  });
}

class DatabaseShelf implements Shelf {
  constructor(private readonly database: IDBDatabase) {}

  all(sessionId: string): Promise<PageEvent[]> {
    return new Promise((resolve, reject) => {
      const store = this.database.transaction(STORE).objectStore(STORE);
      const request: IDBRequest<PageEvent[]> = store.getAll(ofSession(sessionId));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("not read"));
    });
  }

  put(sessionId: string, event: PageEvent): Promise<void> {
    return this.#changed((store) => store.put(event, [sessionId, event.seq]));
  }

  replace(sessionId: string, events: readonly PageEvent[]): Promise<void> {
    return this.#changed((store) => {
      store.delete(ofSession(sessionId));
      for (const event of events) store.put(event, [sessionId, event.seq]);
    });
  }

  clear(): Promise<void> {
    return this.#changed((store) => store.clear());
  }

  #changed(change: (store: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("not kept"));
      change(transaction.objectStore(STORE));
    });
  }
}

function ofSession(sessionId: string): IDBKeyRange {
  return IDBKeyRange.bound([sessionId, 0], [sessionId, Number.MAX_SAFE_INTEGER]);
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
