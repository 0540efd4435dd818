/** Painting: waits until everything in some parts of the page can be seen, and nobody sees a part of it before. */

import { h } from "../shared/dom";

export interface Painting {
  /** The parts of the page that belong to the trial. */
  readonly parts: readonly HTMLElement[];
  /** Shown in the first part when pictures take longer than a moment. */
  readonly late: () => HTMLElement;
  /** Whether somebody looks at the page; nothing is painted in a background tab. */
  readonly isSeen: () => boolean;
}

/** A shorter wait needs no message. */
export const LATE_AFTER_MS = 300;
/** Frames come every few milliseconds; a visible page without one for this long, such as in a frame out of sight, goes on. */
const NO_FRAME_MS = 1000;

/** Resolves when all pictures are decoded, shown, and on the screen for a frame; `revealed` hears when they are shown. */
export async function painted(
  { parts, late, isSeen }: Painting,
  revealed: () => void = () => undefined,
): Promise<void> {
  const images = parts.flatMap((part) => [...part.querySelectorAll("img")]);
  if (images.length > 0) {
    const reveal = hide(parts, late);
    await Promise.all(images.map(decoded));
    reveal();
  }
  revealed();
  // The first frame lays out and paints, the second begins after that paint.
  await framePassed(isSeen);
  await framePassed(isSeen);
}

function hide(parts: readonly HTMLElement[], late: () => HTMLElement): () => void {
  const notice = h("div", { class: "loading" });
  const timer = setTimeout(() => {
    notice.append(late());
    parts[0]?.append(notice);
  }, LATE_AFTER_MS);
  for (const part of parts) part.classList.add("is-unpainted");
  return () => {
    clearTimeout(timer);
    notice.remove();
    for (const part of parts) part.classList.remove("is-unpainted");
  };
}

/** A picture that cannot be had is waited for no longer: the participant was asked before and chose to go on. */
async function decoded(image: HTMLImageElement): Promise<void> {
  await image.decode().catch(() => undefined);
}

/** Resolves with the next frame; where somebody looks and none comes, a moment later. */
export function framePassed(isSeen: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearInterval(timer);
      cancelAnimationFrame(frame);
      resolve();
    };
    const frame = requestAnimationFrame(done);
    const timer = setInterval(() => {
      if (isSeen()) done();
    }, NO_FRAME_MS);
  });
}
