/** The page in a cell: shows what the widget around it holds, and tells it how high that is. */

import { message } from "../player/messages";
import { textsFor } from "../shared/texts";
import type { Holder } from "./bridge";
import { showExplanations } from "./explanation";
import { playSession } from "./session";
import { showTask } from "./task";

const root = document.querySelector<HTMLElement>("#player") ?? document.body;
const bridge = [window, window.frameElement].map((holder) => (holder as Holder | null)?.understudy).find(Boolean);

if (bridge) {
  document.documentElement.lang = bridge.language;
  new ResizeObserver(() => bridge.resized(root.getBoundingClientRect().height)).observe(root);
  if (bridge.shown.kind === "explanation") showExplanations(root, bridge.shown, bridge);
  else if (bridge.shown.kind === "task") showTask(root, bridge.shown, bridge);
  else playSession(root, bridge.shown, bridge).catch((error: unknown) => failed(String(error)));
}

function failed(reason: string): void {
  const { ends } = textsFor(document.documentElement.lang);
  root.replaceChildren(message({ heading: ends.error, text: reason, tone: "warn" }));
}
