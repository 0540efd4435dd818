/** The page of a session: shows what the server says from the first answer to the end, or why there is no session. */

import { type Texts, textsFor } from "../shared/texts";
import { Busy, Refused } from "./api";
import { arrivalFrom } from "./arrival";
import { Clock } from "./clock";
import { Conductor } from "./conductor";
import type { FirstPage } from "./first_page";
import { watchFocus } from "./focus";
import { type Host, Insecure } from "./host";
import { goingOn, message, question, refusal } from "./messages";
import { Outbox } from "./outbox";
import type { Shelf } from "./shelf";
import type { Shell } from "./shell";
import { standInOf } from "./stand_in";
import type { Started, State } from "./state";
import { holdSession } from "./tabs";
import { Voice } from "./voice";
import { askToStop } from "./withdraw";

const BUSY_WAITS_MS = [1000, 2000, 4000, 8000, 16_000];

/** What is there when a session begins. */
export interface Entrance {
  readonly query: Readonly<Record<string, string>>;
  readonly wanted: string;
  readonly storage: Storage | null;
  readonly host: Host;
  readonly shell: Shell;
  /** Spoken until the study says its own words, and to people who are not let in. */
  readonly texts: Texts;
  readonly shelf: Promise<Shelf>;
  /** What the server was asked before this script was here; null where nobody asked, or it did not work. */
  readonly asked: Promise<Started | null>;
  /** The page that is shown already; null where people have to wait for the answer. */
  readonly first: FirstPage | null;
}

/** Takes a place in the study and shows it to the end. */
export class SessionPage {
  #outbox: Outbox | null = null;
  #voice: Voice | null = null;

  constructor(private readonly entrance: Entrance) {}

  async begin(): Promise<void> {
    const { asked, host, query, shell, texts, wanted } = this.entrance;
    const { ends } = texts;
    try {
      const { cameFrom, recruiter, isPreview, isUnnamed } = arrivalFrom(query);
      if (isUnnamed && !isPreview) return shell.show(message({ heading: ends.unnamed, text: ends.unnamedText }));
      const started = (await asked) ?? (await patiently(() => host.start(recruiter, wanted, isPreview)));
      await this.#show(started, cameFrom);
    } catch (error) {
      shell.show(question(ends.error, reasonOf(error, texts), texts.retry, () => location.reload()));
    }
  }

  async #show(started: Started, cameFrom: string | null): Promise<void> {
    const { shell, texts } = this.entrance;
    // The first page may have been drawn before: there is nothing to stop yet.
    shell.stop.hidden = true;
    if ("full" in started || "refused" in started) {
      const kind = "full" in started ? "full" : started.refused;
      const { is_paid: isPaid = false, redirect = null } = started;
      const contact = "refused" in started ? (started.contact ?? "") : "";
      shell.show(refusal({ kind, isPaid, redirect, recruiter: cameFrom, contact }, texts));
    } else if ("began_ms" in started) {
      shell.show(goingOn(started, texts, () => void this.#goOn(cameFrom)));
    } else await this.#enter(started);
  }

  /** Goes on with a session that began in another browser, after the person has read from when and where. */
  async #goOn(cameFrom: string | null): Promise<void> {
    const { host, query, shell, texts, wanted } = this.entrance;
    try {
      const { recruiter } = arrivalFrom(query);
      await this.#show(await patiently(() => host.start(recruiter, wanted, false, true)), cameFrom);
    } catch (error) {
      shell.show(question(texts.ends.error, reasonOf(error, texts), texts.retry, () => location.reload()));
    }
  }

  async #enter(state: State): Promise<void> {
    const { host, shell } = this.entrance;
    const texts = textsFor(state.study.language);
    shell.speak(texts, state.study.language);
    shell.follow(state);
    let lost: () => void = () => undefined;
    const hold = await holdSession(`${state.study.name}:${host.sessionId}`, () => lost());
    const here = () => location.reload();
    if (!hold.isMine && !state.ended) {
      const goOn = async () => {
        await hold.take();
        lost = () => undefined;
        here();
      };
      shell.cover(question(texts.tabs.heading, texts.tabs.text, texts.tabs.here, () => void goOn()));
      return;
    }
    // Before anything is sent: that may take as long as the connection is away.
    lost = () => {
      this.#outbox?.close();
      this.#voice?.follow(null);
      shell.cover(question(texts.tabs.moved, texts.tabs.movedText, texts.tabs.here, here));
    };
    await (await this.#opened(state)).run();
  }

  async #opened(started: State): Promise<Conductor> {
    const { first, host, query, shelf, shell, storage } = this.entrance;
    const texts = textsFor(started.study.language);
    const clock = new Clock();
    const { cameFrom: recruiter } = arrivalFrom(query);
    let conductor: Conductor | null = null;
    const outbox = new Outbox(host.sessionId, await shelf, host, {
      connection: (isThere) => shell.connection(isThere),
      overtaken: (state, isLost) => {
        if (state?.ended) conductor?.end(state);
        else if (isLost) {
          const words = state ? texts.tabs.lostText : texts.tabs.lostAllText;
          shell.cover(question(texts.tabs.lost, words, texts.tabs.here, () => location.reload()));
        } else location.reload();
      },
    });
    this.#outbox = outbox;
    addEventListener("online", () => outbox.hurry());
    const state = started.ended || started.skin.is_preview ? started : await outbox.open(started);
    const record = host.record?.bind(host);
    const voice = record
      ? new Voice({
          texts,
          sessionId: host.sessionId,
          place: shell.voice,
          storage,
          at_ms: () => clock.at_ms(),
          log: (action, payload) => conductor?.log(action, payload),
          send: record,
        })
      : null;
    this.#voice = voice;
    const parts = { api: host, outbox, clock, shell, texts, standIn: standInOf(window), voice, recruiter };
    const made = new Conductor({ ...parts, first: first?.isOf(state) ? first : null }, state);
    conductor = made;
    clock.listen(document);
    shell.stop.onclick = () =>
      askToStop(texts, {
        mayRestart: state.study.may_restart,
        isGuest: host.isGuest === true,
        isPaid: state.study.pay !== null,
        chosen: async (erase) => {
          if (!erase) await outbox.flush(true);
          made.end(await host.withdraw(erase));
        },
      });
    watchFocus({
      changed(action) {
        made.log(action, {});
        if (action === "page_hidden") clock.hide();
        if (action === "page_shown") clock.show();
      },
      leaving() {
        made.leave();
        outbox.leave();
      },
    });
    keepBackHarmless();
    return made;
  }
}

/** Tries again for half a minute where the server asks to wait, as when a whole class comes at once. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (const wait_ms of BUSY_WAITS_MS) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Busy)) throw error;
      // Not all at the same moment again.
      await new Promise((resolve) => setTimeout(resolve, wait_ms * (0.5 + Math.random())));
    }
  }
  return call();
}

function reasonOf(error: unknown, { ends, still }: Texts): string {
  if (error instanceof Insecure) return still.insecure;
  return error instanceof Refused ? `${ends.errorText} (${error.status})` : ends.errorText;
}

/** The back button leads to this very page: an answer given is not taken back by it. */
function keepBackHarmless(): void {
  history.pushState({ understudy: true }, "");
  addEventListener("popstate", () => history.pushState({ understudy: true }, ""));
}
