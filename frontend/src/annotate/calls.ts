/** The calls of the annotators' page. */

import type { Desk } from "../dashboard/desk";
import type {
  AgreementPage,
  BookRequest,
  CodeBookPage,
  CodesReply,
  CodesRequest,
  CodingDesk,
  CodingTasks,
  SettleRequest,
  ShownUnit,
} from "../schema";

/** One coding scheme of one study. */
export interface Scheme {
  readonly study: string;
  readonly schemeId: string;
}

export class Calls {
  constructor(private readonly signedIn: Desk) {}

  tasks(): Promise<CodingTasks> {
    return this.signedIn.ask("/annotation");
  }

  desk(scheme: Scheme): Promise<CodingDesk> {
    return this.signedIn.ask(pathOf(scheme));
  }

  unit(scheme: Scheme, unitId: string): Promise<ShownUnit> {
    return this.signedIn.ask(`${pathOf(scheme)}/units/${unitId}`);
  }

  give(scheme: Scheme, unitId: string, said: CodesRequest): Promise<CodesReply> {
    return this.signedIn.ask(`${pathOf(scheme)}/units/${unitId}`, said);
  }

  agreement(scheme: Scheme): Promise<AgreementPage> {
    return this.signedIn.ask(`${pathOf(scheme)}/agreement`);
  }

  settle(scheme: Scheme, unitId: string, decision: SettleRequest): Promise<unknown> {
    return this.signedIn.ask(`${pathOf(scheme)}/units/${unitId}/settle`, decision);
  }

  book(scheme: Scheme): Promise<CodeBookPage> {
    return this.signedIn.ask(`${pathOf(scheme)}/book`);
  }

  changeBook(scheme: Scheme, change: BookRequest): Promise<unknown> {
    return this.signedIn.ask(`${pathOf(scheme)}/book`, change);
  }
}

/** Returns the address of a scheme on this page; `part` names its agreement or its code book. */
export function addressOf({ study, schemeId }: Scheme, part = ""): string {
  const address = `#/${encodeURIComponent(study)}/${encodeURIComponent(schemeId)}`;
  return part ? `${address}/${part}` : address;
}

function pathOf({ study, schemeId }: Scheme): string {
  return `/studies/${encodeURIComponent(study)}/annotation/${encodeURIComponent(schemeId)}`;
}
