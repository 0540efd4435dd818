/** A host that hands out one page and takes nothing: what people do in a preview goes nowhere. */

import type { Farewell, Host } from "../player/host";
import type { EventsReply, Started, State } from "../player/state";
import type { PreviewContents, RefusalReply } from "../schema";

export class PreviewHost implements Host {
  readonly sessionId = "";

  constructor(
    private readonly study: string,
    private readonly fetched: typeof fetch = (...args) => fetch(...args),
  ) {}

  contents(): Promise<PreviewContents> {
    return this.#get("");
  }

  page(condition: string, page: number, trial: string | null): Promise<State> {
    const query = new URLSearchParams({ condition, page: String(page) });
    if (trial) query.set("trial", trial);
    return this.#get(`/page?${query}`);
  }

  media(digest: string, address: string): string {
    return `/m/${digest}/${encodeURIComponent(address)}`;
  }

  farewell(): Farewell | null {
    return null;
  }

  start(): Promise<Started> {
    return refuse();
  }

  state(): Promise<State> {
    return refuse();
  }

  send(): Promise<EventsReply> {
    return refuse();
  }

  withdraw(): Promise<State> {
    return refuse();
  }

  async #get<T>(path: string): Promise<T> {
    const response = await this.fetched(`/api/preview/${encodeURIComponent(this.study)}${path}`, { cache: "no-store" });
    if (response.ok) return response.json();
    const refusal: Partial<RefusalReply> = await response.json().catch(() => ({}));
    throw new Error(refusal.error || `The server answered ${response.status}.`);
  }
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("A preview stores nothing."));
}
