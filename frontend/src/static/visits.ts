/** Visits: what this computer keeps of a session until it is handed in, so that a reload loses nothing. */

import type { EndedState, PageEvent } from "../player/state";

export interface Visit {
  /** The study's version, and whom the link names: the same link leads back to the same session. */
  readonly key: string;
  readonly place: string;
  readonly session_id: string;
  readonly started_ms: number;
  readonly recruiter: Readonly<Record<string, string>>;
  readonly withdrew_ms: number | null;
  /** How it ended, once it is handed in. */
  readonly outcome: EndedState["outcome"] | null;
  readonly is_erased: boolean;
  readonly is_handed_in: boolean;
}

export interface Visits {
  find(key: string): Promise<Visit | null>;
  save(visit: Visit): Promise<void>;
  events(sessionId: string): Promise<PageEvent[]>;
  add(sessionId: string, events: readonly PageEvent[]): Promise<void>;
  forget(sessionId: string): Promise<void>;
}

/** Opens the store that survives a reload; one in memory when the browser refuses. */
export async function openVisits(name = "understudy-static"): Promise<Visits> {
  try {
    return new KeptVisits(await opened(name));
  } catch {
    return new PassingVisits();
  }
}

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("visits", { keyPath: "key" });
      request.result.createObjectStore("events");
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no database"));
  });
}

class KeptVisits implements Visits {
  constructor(private readonly database: IDBDatabase) {}

  async find(key: string): Promise<Visit | null> {
    return (await this.#read<Visit | undefined>("visits", (store) => store.get(key))) ?? null;
  }

  save(visit: Visit): Promise<void> {
    return this.#change("visits", (store) => store.put(visit));
  }

  events(sessionId: string): Promise<PageEvent[]> {
    return this.#read("events", (store) => store.getAll(ofSession(sessionId)));
  }

  add(sessionId: string, events: readonly PageEvent[]): Promise<void> {
    return this.#change("events", (store) => events.forEach((event) => store.put(event, [sessionId, event.seq])));
  }

  forget(sessionId: string): Promise<void> {
    return this.#change("events", (store) => store.delete(ofSession(sessionId)));
  }

  #read<T>(name: string, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const request = ask(this.database.transaction(name).objectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("not read"));
    });
  }

  #change(name: string, change: (store: IDBObjectStore) => unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(name, "readwrite", { durability: "strict" });
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("not kept"));
      change(transaction.objectStore(name));
    });
  }
}

function ofSession(sessionId: string): IDBKeyRange {
  return IDBKeyRange.bound([sessionId, 0], [sessionId, Number.MAX_SAFE_INTEGER]);
}

/** Keeps a session as long as the page lives. */
export class PassingVisits implements Visits {
  readonly #visits = new Map<string, Visit>();
  readonly #events = new Map<string, PageEvent[]>();

  find(key: string): Promise<Visit | null> {
    return Promise.resolve(this.#visits.get(key) ?? null);
  }

  save(visit: Visit): Promise<void> {
    this.#visits.set(visit.key, visit);
    return Promise.resolve();
  }

  events(sessionId: string): Promise<PageEvent[]> {
    return Promise.resolve([...(this.#events.get(sessionId) ?? [])]);
  }

  add(sessionId: string, events: readonly PageEvent[]): Promise<void> {
    this.#events.set(sessionId, [...(this.#events.get(sessionId) ?? []), ...events]);
    return Promise.resolve();
  }

  forget(sessionId: string): Promise<void> {
    this.#events.delete(sessionId);
    return Promise.resolve();
  }
}
