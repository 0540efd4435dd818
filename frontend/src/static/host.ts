/** The static host: conducts a session drawn ahead, in the page itself, and keeps it on this computer until the end. */

import { Refused, Unreachable } from "../player/api";
import { type Farewell, type Host, Insecure } from "../player/host";
import type { EndedState, EventsReply, PageEvent, Started, State } from "../player/state";
import { RECRUITER_IDS, type StaticManifest, type StaticPlace } from "../schema";
import type { Texts } from "../shared/texts";
import { deposit } from "./deposit";
import { foundJatos, type Jatos, nextInBatch } from "./jatos";
import { openVisits, type Visit, type Visits } from "./visits";
import { Walk } from "./walk";

/** An end after which nobody is asked to hand in a file. */
const WITHOUT_FILE = ["declined"];

export class StaticHost implements Host {
  #manifest: StaticManifest | null = null;
  #walk: Walk | null = null;
  #visit: Visit | null = null;
  #visits: Visits | null = null;
  #jatos: Jatos | null = null;
  #isPreview = false;
  /** Sends wait for each other: a page that goes away sends once more what is on its way. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly fetched: typeof fetch = (...args) => fetch(...args),
    private readonly now: () => number = () => Date.now(),
    /** Two exports in two folders of one host have nothing to do with each other. */
    private readonly folder: string = location.pathname.replace(/[^/]*$/, ""),
  ) {}

  get sessionId(): string {
    return this.#visit?.session_id ?? "";
  }

  async start(recruiter: Record<string, string>, _language: string, isPreview: boolean): Promise<Started> {
    this.#jatos = await foundJatos();
    const query: Record<string, string> = { ...recruiter, ...this.#jatos?.urlQueryParameters };
    const manifest = await this.#read<StaticManifest>("manifest.json");
    this.#manifest = manifest;
    if (manifest.needs_seals && !globalThis.crypto.subtle) throw new Insecure();
    this.#isPreview = isPreview;
    this.#visits = await openVisits();
    const key = [
      this.folder,
      manifest.study.digest,
      query["n"] ?? "",
      RECRUITER_IDS.map((name) => query[name] ?? "").join(" "),
    ].join("|");
    const kept = isPreview ? null : await this.#visits.find(key);
    const visit = kept && manifest.places.includes(kept.place) ? kept : await this.#opened(key, query, isPreview);
    this.#visit = visit;
    this.#walk = new Walk(await this.#read<StaticPlace>(`sessions/${visit.place}.json`), manifest.study.minutes);
    for (const event of await this.#visits.events(visit.session_id)) await this.#walk.take(event);
    return this.#stateNow();
  }

  state(): Promise<State> {
    return Promise.resolve(this.#stateNow());
  }

  send(events: readonly PageEvent[]): Promise<EventsReply> {
    const taken = this.#sending.then(() => this.#take(events));
    this.#sending = taken.catch(() => undefined);
    return taken;
  }

  async #take(events: readonly PageEvent[]): Promise<EventsReply> {
    const { walk, visit, visits } = this.#parts();
    const fresh = events.filter((event) => event.seq >= walk.nextSeq).map(wellFormed);
    for (const event of fresh) {
      if (event.seq !== walk.nextSeq) throw new Refused(409, { expected_seq: walk.nextSeq });
      if (this.#outcome() !== null) throw new Refused(410, { state: this.#stateNow() });
      const fault = walk.faultOf(event);
      if (fault !== null) throw new Refused(422, { error: fault });
      await visits.add(visit.session_id, [event]);
      await walk.take(event);
    }
    return { acknowledged_seq: walk.nextSeq - 1, state: this.#stateNow() };
  }

  async withdraw(erase: boolean): Promise<State> {
    const { visit, visits } = this.#parts();
    if (erase) await visits.forget(visit.session_id);
    await this.#change({ withdrew_ms: this.now(), is_erased: erase, ...(erase ? { recruiter: {} } : {}) });
    return this.#stateNow();
  }

  media(_digest: string, address: string): string {
    return `media/${encodeURIComponent(address)}`;
  }

  farewell(state: State, texts: Texts): Farewell | null {
    const { ended } = state;
    if (!ended) return null;
    const { walk, visit } = this.#parts();
    if (ended.is_erased) {
      this.#jatos?.abortStudy("withdrew");
      return { text: texts.still.erasedText, element: null };
    }
    const manifest = this.#study();
    if (WITHOUT_FILE.includes(ended.outcome) && !manifest.post && !this.#jatos) return null;
    const ways = { jatos: this.#jatos, post: manifest.post, redirect: redirectOf(manifest, ended.outcome) };
    const fileName = `understudy-${state.study.name}-${visit.session_id}.json`;
    const result = { text: this.#result(visit, walk), fileName, outcome: ended.outcome };
    const element = deposit(result, ways, texts, {
      wasDone: visit.is_handed_in,
      done: () => void this.#handedIn(ended.outcome),
    });
    const words: Record<string, string> = { completed: texts.still.completedText, withdrew: texts.still.withdrewText };
    return { text: words[ended.outcome] ?? null, element };
  }

  /** What was sent is no longer kept; a file can be saved once more. */
  async #handedIn(outcome: EndedState["outcome"]): Promise<void> {
    const { visit, visits } = this.#parts();
    await this.#change({ is_handed_in: true, outcome });
    if (this.#jatos || this.#manifest?.post) await visits.forget(visit.session_id);
  }

  #result(visit: Visit, walk: Walk): string {
    const { study } = this.#study();
    const { place, session_id, started_ms, recruiter, withdrew_ms } = visit;
    const head = { format: 1, study_name: study.name, study_digest: study.digest, place, session_id, started_ms };
    return JSON.stringify({ ...head, recruiter, withdrew_ms, events: walk.events });
  }

  #stateNow(): State {
    const { walk, visit } = this.#parts();
    const outcome = this.#outcome();
    const ended: EndedState | null =
      outcome === null
        ? null
        : { outcome, is_erased: visit.is_erased, reason: "", pay: null, code: null, redirect: null };
    return {
      study: this.#study().study,
      next_seq: walk.nextSeq,
      step: ended ? null : walk.step(),
      preload: ended ? [] : walk.preload(),
      ended,
      skin: { is_preview: this.#isPreview },
    };
  }

  #outcome(): EndedState["outcome"] | null {
    const { walk, visit } = this.#parts();
    return visit.outcome ?? walk.outcome ?? (visit.withdrew_ms === null ? null : "withdrew");
  }

  async #opened(key: string, query: Record<string, string>, isPreview: boolean): Promise<Visit> {
    const { n, ...recruiter } = query;
    const visit: Visit = {
      key,
      place: await this.#chosenPlace(isPreview ? "1" : n),
      session_id: randomName(),
      started_ms: this.now(),
      recruiter,
      withdrew_ms: null,
      outcome: null,
      is_erased: false,
      is_handed_in: false,
    };
    if (!isPreview) await this.#visits?.save(visit);
    return visit;
  }

  async #chosenPlace(n: string | undefined): Promise<string> {
    const { places } = this.#study();
    const wanted = /^[1-9]\d{0,8}$/.test(n ?? "") ? Number(n) - 1 : this.#jatos ? await nextInBatch(this.#jatos) : null;
    return places[(wanted ?? Math.floor(Math.random() * places.length)) % places.length] ?? "";
  }

  async #change(changes: Partial<Visit>): Promise<void> {
    const { visit, visits } = this.#parts();
    this.#visit = { ...visit, ...changes };
    await visits.save(this.#visit);
  }

  /** Reads a file that the exporter wrote beside this page, by the records that both halves share. */
  async #read<T>(address: string): Promise<T> {
    const response = await this.fetched(address).catch(() => null);
    if (!response?.ok) throw new Unreachable();
    return response.json();
  }

  #study(): StaticManifest {
    if (!this.#manifest) throw new Unreachable();
    return this.#manifest;
  }

  #parts(): { walk: Walk; visit: Visit; visits: Visits } {
    if (!this.#walk || !this.#visit || !this.#visits) throw new Unreachable();
    return { walk: this.#walk, visit: this.#visit, visits: this.#visits };
  }
}

function redirectOf({ redirect }: StaticManifest, outcome: string): string | null {
  if (redirect === null || WITHOUT_FILE.includes(outcome)) return null;
  return redirect.replaceAll("{outcome}", encodeURIComponent(outcome));
}

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Replaces halves of characters, which no reader of the file accepts. */
function wellFormed(event: PageEvent): PageEvent {
  const replaceHalves = (_name: string, value: unknown) =>
    typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value;
  return JSON.parse(JSON.stringify(event), replaceHalves);
}
