/** Surroundings: the kind of device and connection, in classes too coarse to know anybody by. */

import type { Surroundings } from "../schema";

const TABLET_PX = 600;
const COMPUTER_PX = 1024;
const CONNECTIONS: Readonly<Record<string, Surroundings["connection"]>> = {
  "4g": "fast",
  "3g": "medium",
  "2g": "slow",
  "slow-2g": "slow",
};

/** Returns what a page is shown on; browsers other than Chromium do not tell their connection. */
export function surroundingsOf(page: Window): Surroundings {
  const shorter = Math.min(page.screen.width, page.screen.height);
  const isTouched = page.matchMedia("(pointer: coarse)").matches;
  const device =
    !isTouched || page.screen.width >= 1.5 * COMPUTER_PX ? "computer" : shorter < TABLET_PX ? "phone" : "tablet";
  const { connection } = page.navigator as Navigator & { connection?: { effectiveType?: string } };
  return { device, connection: CONNECTIONS[connection?.effectiveType ?? ""] ?? "unknown" };
}
