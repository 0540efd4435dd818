/** The calls of the researchers' page. */

import type { StepState } from "../player/state";
import type { Json } from "../schema";

export type Kind = "person" | "synthetic";

export interface Cell {
  readonly condition: string;
  readonly kind: Kind;
  readonly quota: number;
  readonly assigned: number;
  readonly active: number;
  readonly completed: number;
  readonly excluded: number;
  readonly screened_out: number;
  readonly declined: number;
  readonly withdrew: number;
  readonly abandoned: number;
  readonly erased: number;
}

/** Everybody who came, and the one place where each of them is now. */
export interface Flow {
  readonly recruited: number;
  readonly declined: number;
  readonly screened_out: number;
  /** Withdrew, with or without their data, or stopped answering. */
  readonly left: number;
  readonly active: number;
  readonly excluded_by_rule: number;
  readonly excluded_by_hand: number;
  readonly completed: number;
}

export interface StudyCounts {
  readonly name: string;
  readonly title: string;
  /** The title participants read. */
  readonly shown_title: string;
  readonly language: string;
  readonly digest: string;
  readonly kinds: Readonly<Record<string, number>>;
  readonly flows: Readonly<Record<string, Flow>>;
  readonly cells: readonly Cell[];
  readonly median_minutes: number | null;
  readonly pay_per_hour: number | null;
  readonly currency: string | null;
}

export interface SessionRow {
  readonly session_id: string;
  readonly participant_id: string;
  readonly kind: Kind;
  readonly condition: string;
  readonly arrival: number;
  readonly outcome: string | null;
  readonly excluded_by: string | null;
  readonly started_ms: number;
  readonly minutes: number;
  readonly code: string | null;
}

export interface SessionPage {
  readonly total: number;
  readonly rows: readonly SessionRow[];
}

/** Any event of a session; which fields there are depends on its type. */
export interface SessionEvent {
  readonly type: string;
  readonly stream: "page" | "engine" | "desk";
  readonly seq: number;
  readonly at_ms: number;
  readonly step?: number;
  readonly action?: string;
  readonly payload?: Json;
  readonly response?: Json;
  readonly rt_ms?: number;
  readonly [name: string]: unknown;
}

export interface SessionRecord {
  readonly events: readonly SessionEvent[];
  readonly steps: readonly StepState[];
}

/** The server said no, with a status and a sentence. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

const ROOT = "/api/admin";

export class Desk {
  constructor(private readonly fetched: typeof fetch = (...args) => fetch(...args)) {}

  async signIn(token: string): Promise<void> {
    await this.#call("/login", { token });
  }

  async signOut(): Promise<void> {
    await this.#call("/logout", {});
  }

  async studies(): Promise<StudyCounts[]> {
    return (await this.#call("/studies")) as StudyCounts[];
  }

  async sessions(study: string, filters: Readonly<Record<string, string>>): Promise<SessionPage> {
    const wanted = Object.entries(filters).filter(([, value]) => value !== "");
    return (await this.#call(`${studyPath(study)}/sessions?${new URLSearchParams(wanted)}`)) as SessionPage;
  }

  async session(study: string, sessionId: string): Promise<SessionRecord> {
    return (await this.#call(`${studyPath(study)}/sessions/${encodeURIComponent(sessionId)}`)) as SessionRecord;
  }

  async exclude(study: string, sessionId: string, reason: string): Promise<void> {
    await this.#call(`${studyPath(study)}/sessions/${encodeURIComponent(sessionId)}/exclude`, { reason });
  }

  async #call(path: string, body?: Json): Promise<unknown> {
    const response = await this.fetched(ROOT + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "Content-Type": "application/json", "X-Understudy-Admin": "1" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
    });
    const answer = (await response.json().catch(() => ({}))) as { error?: string };
    if (!response.ok) throw new Refused(response.status, answer.error ?? `The server answered ${response.status}.`);
    return answer;
  }
}

/** Returns the address of the report or the archive of a study. */
export function downloadOf(study: string, what: "report" | "export"): string {
  return `${ROOT}${studyPath(study)}/${what}`;
}

function studyPath(study: string): string {
  return `/studies/${encodeURIComponent(study)}`;
}
