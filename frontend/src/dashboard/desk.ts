/** The calls of the researchers' page. */

import type {
  AuditPage,
  Cell,
  DepositDecision,
  DepositPage,
  ExcludeRequest,
  LabelRequest,
  LoginRequest,
  Monitoring,
  PauseRequest,
  RefusalReply,
  SessionPage,
  SessionRecord,
  SignInState,
  StudyCounts,
  UnblindRequest,
} from "../schema";

export type {
  AuditEntry,
  Cell,
  Deposit,
  Event as SessionEvent,
  Flow,
  LoginRequest,
  SessionPage,
  SessionRecord,
  SessionRow,
  SignInState,
  StudyCounts,
} from "../schema";

export type Kind = Cell["kind"];
export type Permission = SignInState["may"][number];
type Body =
  | DepositDecision
  | UnblindRequest
  | LoginRequest
  | ExcludeRequest
  | LabelRequest
  | PauseRequest
  | Record<string, never>;

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

  #me: SignInState | null = null;

  /** Asks who is signed in, and remembers it. */
  async me(): Promise<SignInState> {
    this.#me = await this.#call<SignInState>("/me");
    return this.#me;
  }

  /** Whether the role of the signed-in researcher allows something; the server checks it again. */
  may(permission: Permission): boolean {
    return this.#me?.may.includes(permission) ?? false;
  }

  async signIn(secrets: LoginRequest): Promise<void> {
    await this.#call("/login", secrets);
  }

  async signOut(): Promise<void> {
    await this.#call("/logout", {});
  }

  async studies(): Promise<StudyCounts[]> {
    return this.#call("/studies");
  }

  async sessions(study: string, filters: Readonly<Record<string, string>>): Promise<SessionPage> {
    const wanted = Object.entries(filters).filter(([, value]) => value !== "");
    return this.#call(`${studyPath(study)}/sessions?${new URLSearchParams(wanted)}`);
  }

  async session(study: string, sessionId: string): Promise<SessionRecord> {
    return this.#call(`${studyPath(study)}/sessions/${encodeURIComponent(sessionId)}`);
  }

  async erase(study: string, sessionId: string): Promise<void> {
    await this.#call(`${studyPath(study)}/sessions/${encodeURIComponent(sessionId)}/erase`, { erase: true });
  }

  async exclude(study: string, sessionId: string, reason: string): Promise<void> {
    await this.#call(`${studyPath(study)}/sessions/${encodeURIComponent(sessionId)}/exclude`, { reason });
  }

  async label(study: string, sessionId: string, about: string, label: string): Promise<void> {
    await this.#call(`${studyPath(study)}/sessions/${encodeURIComponent(sessionId)}/label`, { about, label });
  }

  async pause(study: string, isPaused: boolean): Promise<void> {
    await this.#call(`${studyPath(study)}/recruitment`, { is_paused: isPaused });
  }

  async monitoring(study: string): Promise<Monitoring> {
    return this.#call(`${studyPath(study)}/monitor`);
  }

  async unblind(study: string, reason: string): Promise<void> {
    await this.#call(`${studyPath(study)}/unblind`, { reason });
  }

  async deposits(study: string): Promise<DepositPage> {
    return this.#call(`${studyPath(study)}/deposits`);
  }

  async decideDeposit(study: string, name: string, isTaken: boolean): Promise<void> {
    await this.#call(`${studyPath(study)}/deposits`, { name, is_taken: isTaken });
  }

  async audit(study: string): Promise<AuditPage> {
    return this.#call(`${studyPath(study)}/audit`);
  }

  /** Sends a request of another page of the desk, such as the one on which texts are coded. */
  ask<T>(path: string, body?: object): Promise<T> {
    return this.#call(path, body);
  }

  /** Both halves share the records of schema.ts, and the server checks what it writes: its answer is taken by its word. */
  async #call<T>(path: string, body?: Body | object): Promise<T> {
    const response = await this.fetched(ROOT + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "Content-Type": "application/json", "X-Understudy-Admin": "1" },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
    });
    if (response.ok) return response.json();
    const refusal: Partial<RefusalReply> = await response.json().catch(() => ({}));
    throw new Refused(response.status, refusal.error || `The server answered ${response.status}.`);
  }
}

/** Returns the address of a copy of one person's data. */
export function copyOf(study: string, sessionId: string): string {
  return `${ROOT}${studyPath(study)}/sessions/${encodeURIComponent(sessionId)}/copy`;
}

/** Returns the address of the report or the archive of a study. */
export function downloadOf(study: string, what: "report" | "export"): string {
  return `${ROOT}${studyPath(study)}/${what}`;
}

function studyPath(study: string): string {
  return `/studies/${encodeURIComponent(study)}`;
}
