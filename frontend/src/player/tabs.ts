/** Tabs: one session, one page at a time. Web Locks where the browser has them, messages between tabs elsewhere. */

export interface Hold {
  /** Whether this tab has the session now. */
  readonly isMine: boolean;
  /** Takes the session from the other tab. */
  take(): Promise<void>;
}

const ANSWER_WITHIN_MS = 250;

/** Asks for the session; `lost` is called when another tab takes it. */
export async function holdSession(name: string, lost: () => void): Promise<Hold> {
  const key = `understudy:${name}`;
  return "locks" in navigator && navigator.locks ? byLock(key, lost) : byMessages(key, lost);
}

async function byLock(key: string, lost: () => void): Promise<Hold> {
  const ask = (options: LockOptions) =>
    new Promise<boolean>((resolve, reject) => {
      let isHeld = false;
      const forever = () => new Promise<void>(() => undefined);
      navigator.locks
        .request(key, options, (lock) => {
          isHeld = lock !== null;
          resolve(isHeld);
          return isHeld ? forever() : undefined;
        })
        // The promise of a held lock fails only when the lock is taken away.
        .catch((error: unknown) => (isHeld ? lost() : reject(error as Error)));
    });
  try {
    const isMine = await ask({ ifAvailable: true });
    return { isMine, take: async () => void (await ask({ steal: true })) };
  } catch {
    // Whoever lets no site keep anything is refused every lock, and takes part all the same.
    return byMessages(key, lost);
  }
}

async function byMessages(key: string, lost: () => void): Promise<Hold> {
  if (!("BroadcastChannel" in window)) return { isMine: true, take: () => Promise.resolve() };
  const channel = new BroadcastChannel(key);
  let isMine = false;
  let isTaken = false;
  channel.addEventListener("message", (event) => {
    if (event.data === "who" && isMine) channel.postMessage("me");
    if (event.data === "me" && !isMine) isTaken = true;
    if (event.data === "take" && isMine) {
      isMine = false;
      lost();
    }
  });
  channel.postMessage("who");
  await new Promise((resolve) => setTimeout(resolve, ANSWER_WITHIN_MS));
  isMine = !isTaken;
  return {
    isMine,
    take() {
      channel.postMessage("take");
      isMine = true;
      return Promise.resolve();
    },
  };
}
