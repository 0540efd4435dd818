/** The key: what the marks of the picture stand for. */

import { type Drawn, d } from "./drawn";
import { cellIcon, stateIcon } from "./icons";

const ENTRIES: readonly { icon: Drawn; text: string }[] = [
  { icon: stateIcon("confirmed"), text: "confirmed" },
  { icon: stateIcon("unproven"), text: "unproven" },
  { icon: stateIcon("rejected"), text: "rejected" },
  { icon: cellIcon("supports"), text: "test supports" },
  { icon: cellIcon("rejects"), text: "test rejects" },
  { icon: cellIcon("unproven"), text: "no difference" },
  { icon: cellIcon("unproven", { isSilenced: true }), text: "differs, not counted" },
  { icon: cellIcon("conditional"), text: "asked first by the test" },
  { icon: d("path", { class: "tail", d: "M-8 5C-3 4 -1 -1 0 -7V5Z" }), text: "p, in both tails" },
  { icon: d("path", { class: "mark", d: "M0 -8V6" }), text: "threshold" },
  { icon: d("path", { class: "link is-different", "stroke-width": 5, d: "M-9 0H9" }), text: "p below the threshold" },
  { icon: d("path", { class: "link is-alike", "stroke-width": 1.5, d: "M-9 0H9" }), text: "not below" },
];
const LETTER = 5.3;
const ROOM = 40;

/** Draws the key within a width, and says how high it is. */
export function drawKey(left: number, top: number, width: number): { drawn: Drawn; height: number } {
  let [x, y] = [left, top + 10];
  const entries = ENTRIES.map(({ icon, text }) => {
    const length = ROOM + text.length * LETTER;
    if (x + length - 12 > left + width) [x, y] = [left, y + 22];
    const drawn = d(
      "g",
      { transform: `translate(${x} ${y})` },
      d("g", { transform: "translate(10 0)" }, icon),
      d("text", { class: "small", x: 24, y: 4 }, text),
    );
    x += length;
    return drawn;
  });
  return { drawn: d("g", { class: "key", "aria-hidden": "true" }, ...entries), height: y - top + 14 };
}
