/** Host: what conducts the session for the player, a server or the page itself. */

import type { Texts } from "../shared/texts";
import type { Chunk } from "./chunks";
import type { Sender } from "./outbox";
import type { Started, State } from "./state";

/** The page stands at an address where browsers keep from it what the study needs. */
export class Insecure extends Error {}

/** What the last screen says and offers beyond its usual words. */
export interface Farewell {
  readonly text: string | null;
  readonly element: HTMLElement | null;
}

export interface Host extends Sender {
  /** Whose events these are; empty before the start. */
  readonly sessionId: string;
  /** Whether this browser may go on with a session, but neither stop nor erase it; absent where there is no server. */
  readonly isGuest?: boolean;
  start(recruiter: Record<string, string>, language: string, isPreview: boolean, goesOn?: boolean): Promise<Started>;
  withdraw(erase: boolean): Promise<State>;
  /** Everything that is stored about the person; absent where there is no server that stores anything. */
  copy?(): Promise<Blob>;
  /** Stores a few seconds of voice; absent where there is no server to keep them. */
  record?(chunk: Chunk): Promise<void>;
  /** The address of a public file. */
  media(digest: string, address: string): string;
  /** Hands the data in where that is still to be done; null where a server has them already. */
  farewell(state: State, texts: Texts): Farewell | null;
}
