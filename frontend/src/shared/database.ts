/** The browser's own database, as far as pages need it to survive a reload. */

/** Opens a database; `make` creates its stores the first time. */
export function openedDatabase(name: string, make: (database: IDBDatabase) => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => make(request.result);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no database"));
  });
}

export function readStore<T>(
  database: IDBDatabase,
  name: string,
  ask: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = ask(database.transaction(name).objectStore(name));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("not read"));
  });
}

/** Changes a store, all or nothing, and resolves once that is on the disk. */
export function changeStore(
  database: IDBDatabase,
  name: string,
  change: (store: IDBObjectStore) => unknown,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(name, "readwrite", { durability: "strict" });
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("not kept"));
    change(transaction.objectStore(name));
  });
}

/** The keys of a session's events, which are numbered. */
export function keysOfSession(sessionId: string): IDBKeyRange {
  return IDBKeyRange.bound([sessionId, 0], [sessionId, Number.MAX_SAFE_INTEGER]);
}
