/** The demo's landing page: keeps the number of simulated people fresh, and says when the report is being written. */

import { activeLine, type Counts, shareOf, simulatedOf } from "./landing/counts";
import { h } from "./shared/dom";

const POLL_MS = 1000;
const filling = document.querySelector<HTMLElement>(".filling");
const bar = document.querySelector<HTMLElement>(".filling .bar-line");
const report = document.querySelector<HTMLAnchorElement>('[data-door="report"] a');
const label = [...(report?.childNodes ?? [])];

async function renew(): Promise<void> {
  try {
    const response = await fetch("/demo/counts", { cache: "no-store" });
    const counts = response.ok ? simulatedOf(await response.json()) : null;
    if (counts) show(counts);
  } catch {
    // The server is being stopped or started again; the numbers stay as they are.
  }
  setTimeout(() => void renew(), POLL_MS);
}

function show(counts: Counts): void {
  if (!filling || !bar) return;
  filling.hidden = false;
  figure("completed", h("strong", {}, String(counts.completed)), ` of ${counts.wanted} finished`);
  figure("active", activeLine(counts));
  bar.setAttribute("aria-label", `${counts.completed} of ${counts.wanted} places filled by simulated people`);
  bar.querySelector<HTMLElement>("span")?.style.setProperty("--share", String(shareOf(counts)));
}

function figure(name: string, ...content: (Node | string)[]): void {
  filling?.querySelector(`[data-figure="${name}"]`)?.replaceChildren(...content);
}

report?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  report.replaceChildren("Writing the report…");
});
addEventListener("pageshow", () => report?.replaceChildren(...label));
void renew();
