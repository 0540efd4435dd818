/** The calls of the participant's page. */

import type { RefusalReply, StartRequest, WithdrawRequest } from "../schema";
import type { Chunk } from "./chunks";
import type { Host } from "./host";
import type { EventsReply, PageEvent, Started, State } from "./state";

/** The server could not be reached, or had no time: worth another try. */
export class Unreachable extends Error {}

/** The server has too much to do, or too many come from one address: it asks to wait. */
export class Busy extends Unreachable {}

/** The server said no, with a status and what it gave as a reason. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly body: Partial<RefusalReply>,
  ) {
    super(body.error || `status ${status}`);
  }
}

/** What the page asks of the server, with what is sent and what comes back. */
interface Calls {
  "/start": [StartRequest, Started];
  "/state": [null, State];
  "/events": [{ events: readonly PageEvent[] }, EventsReply];
  "/withdraw": [WithdrawRequest, State];
}

const TOKEN_KEY = "understudy:token:";
const KNOCK_KEY = "understudy:knock:";
const KNOCK_BYTES = 16;
/** Browsers refuse larger bodies for requests that outlive their page. */
const LARGEST_KEPT_ALIVE = 60_000;
/** A dead connection may say nothing for a quarter of an hour; who waits this long, and a second for each kB, tries again. */
const PATIENCE_MS = 20_000;

export class Api implements Host {
  readonly #root: string;
  #token: string | null;
  #secret = "";

  /** `address` is the page's own path, such as /s/loan-demo, whatever lies before it. */
  constructor(
    address: string,
    private readonly storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null,
    private readonly fetched: typeof fetch = (...args) => fetch(...args),
    private readonly patience_ms = PATIENCE_MS,
  ) {
    const found = /^(.*)\/s\/([^/]+)\/?$/.exec(address);
    this.prefix = found?.[1] ?? "";
    this.studyName = decodeURIComponent(found?.[2] ?? "");
    this.#root = `${this.prefix}/api/s/${encodeURIComponent(this.studyName)}`;
    this.#token = storage?.getItem(TOKEN_KEY + this.studyName) ?? null;
  }

  readonly prefix: string;
  readonly studyName: string;

  async start(
    recruiter: Record<string, string>,
    language: string,
    isPreview: boolean,
    goesOn = false,
  ): Promise<Started> {
    const knock = this.#knock();
    const started = await this.#call("/start", { recruiter, language, preview: isPreview, go_on: goesOn, knock });
    if ("token" in started) this.keep(started.token);
    else this.#forgetKnock();
    return started;
  }

  /** Goes on with a session that was started elsewhere. */
  keep(token: string): void {
    this.#token = token;
    this.storage?.setItem(TOKEN_KEY + this.studyName, token);
    this.#forgetKnock();
  }

  /** A secret by which the server knows this tab again if its first answer gets lost: until then, there is no token. */
  #knock(): string {
    const key = KNOCK_KEY + this.studyName;
    const bytes = crypto.getRandomValues(new Uint8Array(KNOCK_BYTES));
    const knock =
      this.#secret || (this.storage?.getItem(key) ?? Array.from(bytes, (byte) => byte.toString(16)).join("-"));
    this.#secret = knock;
    this.storage?.setItem(key, knock);
    return knock;
  }

  /** Once an answer has arrived, the token does what the secret was for, and nothing else stays in the browser. */
  #forgetKnock(): void {
    this.#secret = "";
    this.storage?.removeItem(KNOCK_KEY + this.studyName);
  }

  /** Whether this browser has no more than somebody's id: it goes on with a session that began elsewhere. */
  get isGuest(): boolean {
    return this.#token?.split(".").length === 3;
  }

  /** Whose events these are; empty before the start. */
  get sessionId(): string {
    return this.#token?.split(".")[0] ?? "";
  }

  async state(): Promise<State> {
    return this.#call("/state", null);
  }

  async send(events: readonly PageEvent[], isLeaving: boolean): Promise<EventsReply> {
    return this.#call("/events", { events }, isLeaving);
  }

  async withdraw(erase: boolean): Promise<State> {
    return this.#call("/withdraw", { erase });
  }

  async copy(): Promise<Blob> {
    const headers: Record<string, string> = this.#token ? { Authorization: `Bearer ${this.#token}` } : {};
    const response = await this.fetched(`${this.#root}/copy`, {
      headers,
      credentials: "same-origin",
      cache: "no-store",
    });
    if (!response.ok) throw new Refused(response.status, {});
    return response.blob();
  }

  async record({ block, started_ms, number, content }: Chunk): Promise<void> {
    const query = new URLSearchParams({ block, started_ms: String(started_ms), chunk: String(number) });
    await this.#answer(
      `/recordings?${query}`,
      { method: "POST", headers: { "Content-Type": content.type }, body: content },
      content.size,
    );
  }

  media(digest: string, address: string): string {
    return `${this.prefix}/m/${digest}/${encodeURIComponent(address)}`;
  }

  farewell(): null {
    return null;
  }

  async #call<P extends keyof Calls>(path: P, body: Calls[P][0], isLeaving = false): Promise<Calls[P][1]> {
    const text = body === null ? undefined : JSON.stringify(body);
    const size = text?.length ?? 0;
    const keepalive = isLeaving && size < LARGEST_KEPT_ALIVE;
    const request = {
      method: body === null ? "GET" : "POST",
      headers: { "Content-Type": "application/json" },
      body: text,
      keepalive,
    };
    return this.#answer<Calls[P][1]>(path, request, size);
  }

  /** Both halves share the records of schema.ts, and the server checks what it writes: its answer is taken by its word. */
  async #answer<T>(
    path: string,
    request: RequestInit & { headers: Record<string, string> },
    n_bytes: number,
  ): Promise<T> {
    const headers = this.#token ? { ...request.headers, Authorization: `Bearer ${this.#token}` } : request.headers;
    const signal = AbortSignal.timeout(this.patience_ms + n_bytes);
    const whole: RequestInit = { ...request, headers, signal, credentials: "same-origin", cache: "no-store" };
    const response = await this.fetched(this.#root + path, whole).catch(() => {
      throw new Unreachable();
    });
    if (response.status === 429 || response.status === 503) throw new Busy();
    if (response.status >= 500 || response.status === 408) throw new Unreachable();
    if (!response.ok) throw new Refused(response.status, (await parsed<Refused["body"] | null>(response)) ?? {});
    return parsed(response);
  }
}

async function parsed<T>(response: Response): Promise<T> {
  return response.json().catch(() => {
    throw new Unreachable();
  });
}
