/** Host of a notebook: the server's own calls, carried by messages, with every file fetched before it is shown. */

import { Api } from "../player/api";
import type { Host } from "../player/host";
import type { State } from "../player/state";
import { addressOfBytes, type Bridge } from "./bridge";

/** Goes on with a session that Python has started. */
export function notebookHost({ fetched }: Pick<Bridge, "fetched">, study: string, token: string): Host {
  const api = new Api(`/s/${encodeURIComponent(study)}`, null, fetched);
  api.keep(token);
  const addresses = new Map<string, string>();
  const fetchFile = async (digest: string, name: string) => {
    const response = await fetched(api.media(digest, name));
    if (!response.ok) throw new Error(`${name} could not be read`);
    addresses.set(name, addressOfBytes(name, await response.arrayBuffer()));
  };
  const withFiles = async (state: State) => {
    const missing = state.preload.filter((name) => !addresses.has(name));
    await Promise.all(missing.map((name) => fetchFile(state.study.digest, name)));
    return state;
  };
  return {
    get sessionId() {
      return api.sessionId;
    },
    start: async () => withFiles(await api.state()),
    state: async () => withFiles(await api.state()),
    send: async (events, isLeaving) => {
      const reply = await api.send(events, isLeaving);
      await withFiles(reply.state);
      return reply;
    },
    withdraw: (erase) => api.withdraw(erase),
    media: (_digest, address) => addresses.get(address) ?? address,
    farewell: () => null,
  };
}
