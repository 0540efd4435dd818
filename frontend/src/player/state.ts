/** What the server tells the page and what the page tells the server, as the Python records say. */

import type { Interacted, ResponseGiven, TrialShown } from "../schema";

export type {
  EndedState,
  EventsReply,
  ReferenceState,
  SavedEvent,
  Started,
  State,
  StepState,
  StudyBegun,
  StudyRefused,
} from "../schema";

/** An event as the page numbers it; session and stream are added by the server. */
type Sent<E> = Omit<E, "session_id" | "stream" | "received_ms">;
export type PageEvent = Sent<TrialShown> | Sent<ResponseGiven> | Sent<Interacted>;

type Unsent<E> = Omit<E, "session_id" | "stream" | "received_ms" | "seq">;
export type Unnumbered = Unsent<TrialShown> | Unsent<ResponseGiven> | Unsent<Interacted>;
