/** Result sets on a shared axis: a circle for the mean, a line for its 95 % interval. */

import { type Drawn, d } from "./drawn";
import { scaleOf } from "./scale";
import { handled, lit, type Scene } from "./scene";
import { RESULTS, type Result, type ResultId } from "./verdicts";
import { RESULT_WORDS } from "./words";

export interface ResultPlaces {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the result set of a name. */
function resultOf(scene: Scene, id: ResultId): Result {
  const found = scene.reading.part.results.find((result) => result.id === id);
  if (found === undefined)
    throw new Error(`The verdicts have no result set ${id}; they need all of ${RESULTS.join(", ")}.`);
  return found;
}

/** Returns the middle of a result set's strip, along the four. */
export function resultMiddle(id: ResultId, start: number, length: number): number {
  return start + (length / RESULTS.length) * (RESULTS.indexOf(id) + 0.5);
}

/** Draws four strips one below the other, with the axis along the bottom. */
export function drawAcross(scene: Scene, { left, top, width, height }: ResultPlaces): Drawn {
  const scale = scaleOf(scene.reading.part.results, 4);
  const at = (value: number) => left + 14 + scale.share(value) * (width - 28);
  const strips = RESULTS.map((id, index) => {
    const result = resultOf(scene, id);
    const middle = resultMiddle(id, top, height);
    const start = top + (height / RESULTS.length) * index;
    const box = { x: left, y: start + 6, width, height: height / RESULTS.length - 12 };
    return strip(scene, result, box, [
      ...scale.ticks.map((tick) =>
        d("path", { class: "rule", d: `M${at(tick)} ${middle + 6}V${box.y + box.height - 1}` }),
      ),
      d("text", { class: "name", x: left + 14, y: middle - 22 }, RESULT_WORDS[id].long),
      d("text", { class: "number end", x: left + width - 14, y: middle - 22 }, meanText(result)),
      d("text", { class: "small", x: left + 14, y: middle - 7 }, RESULT_WORDS[id].told),
      d("path", { class: "interval", d: `M${at(result.low)} ${middle + 20}H${at(result.high)}` }),
      d("circle", { class: "mean", cx: at(result.mean), cy: middle + 20, r: 6 }),
    ]);
  });
  const ticks = scale.ticks.map((tick) =>
    d("text", { class: "small middle", x: at(tick), y: top + height + 10 }, scale.text(tick)),
  );
  return d(
    "g",
    { class: "results" },
    ...ticks,
    ...strips,
    d("text", { class: "small middle", x: left + width / 2, y: top + height + 27 }, "mean score with 95 % interval"),
  );
}

/** Draws four strips beside each other, with the axis along the left. */
export function drawDown(scene: Scene, { left, top, width, height }: ResultPlaces): Drawn {
  const scale = scaleOf(scene.reading.part.results, 4);
  const [head, room] = [52, 34];
  const at = (value: number) => top + height - 12 - scale.share(value) * (height - head - 24);
  const strips = RESULTS.map((id, index) => {
    const result = resultOf(scene, id);
    const middle = resultMiddle(id, left + room, width - room);
    const each = (width - room) / RESULTS.length;
    const words = RESULT_WORDS[id].told.split(", ");
    const box = { x: left + room + each * index + 4, y: top, width: each - 8, height };
    return strip(scene, result, box, [
      ...scale.ticks.map((tick) =>
        d("path", { class: "rule", d: `M${box.x + 1} ${at(tick)}H${box.x + box.width - 1}` }),
      ),
      d("text", { class: "name middle", x: middle, y: top + 17 }, RESULT_WORDS[id].long),
      ...(words.length > 1 ? words : ["trained and tested", words[0]?.split(" tested ")[1] ?? ""]).map((line, order) =>
        d("text", { class: "small middle", x: middle, y: top + 31 + order * 12 }, line),
      ),
      d("path", { class: "interval", d: `M${middle} ${at(result.low)}V${at(result.high)}` }),
      d("circle", { class: "mean", cx: middle, cy: at(result.mean), r: 6 }),
      d("text", { class: "number", x: middle + 11, y: at(result.mean) + 4 }, meanText(result)),
    ]);
  });
  const ticks = scale.ticks.map((tick) =>
    d("text", { class: "small end", x: left + room - 2, y: at(tick) + 4 }, scale.text(tick)),
  );
  return d(
    "g",
    { class: "results" },
    ...ticks,
    ...strips,
    d("text", { class: "small", x: left, y: top + height + 18 }, "mean score with 95 % interval"),
  );
}

function strip(
  scene: Scene,
  result: Result,
  at: { x: number; y: number; width: number; height: number },
  inside: Drawn[],
): Drawn {
  const words = RESULT_WORDS[result.id];
  const label = `${words.long}, ${words.told}: mean ${meanText(result)}, 95 % interval ${result.low.toFixed(3)} to ${result.high.toFixed(3)}, ${result.n} objects`;
  const drawn = d(
    "g",
    { class: `result${lit(scene, "results", result.id)}`, "data-result": result.id },
    d("rect", { class: "card", rx: 8, ...at }),
    ...inside,
  );
  return handled(scene, { kind: "result", id: result.id, label, isFirst: result.id === RESULTS[0], box: at }, drawn);
}

function meanText(result: Result): string {
  return result.mean.toFixed(3);
}
