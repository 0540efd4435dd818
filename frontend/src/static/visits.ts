/** Visits: what this computer keeps of a session until it is handed in, so that a reload loses nothing. */

import type { EndedState, PageEvent } from "../player/state";
import { changeStore, keysOfSession, openedDatabase, readStore } from "../shared/database";

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
    return new KeptVisits(await openedDatabase(name, makeStores));
  } catch {
    return new PassingVisits();
  }
}

function makeStores(database: IDBDatabase): void {
  database.createObjectStore("visits", { keyPath: "key" });
  database.createObjectStore("events");
}

class KeptVisits implements Visits {
  constructor(private readonly database: IDBDatabase) {}

  async find(key: string): Promise<Visit | null> {
    return (await readStore<Visit | undefined>(this.database, "visits", (store) => store.get(key))) ?? null;
  }

  save(visit: Visit): Promise<void> {
    return changeStore(this.database, "visits", (store) => store.put(visit));
  }

  events(sessionId: string): Promise<PageEvent[]> {
    return readStore(this.database, "events", (store) => store.getAll(keysOfSession(sessionId)));
  }

  add(sessionId: string, events: readonly PageEvent[]): Promise<void> {
    return changeStore(this.database, "events", (store) =>
      events.forEach((event) => store.put(event, [sessionId, event.seq])),
    );
  }

  forget(sessionId: string): Promise<void> {
    return changeStore(this.database, "events", (store) => store.delete(keysOfSession(sessionId)));
  }
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
