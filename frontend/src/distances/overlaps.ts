/** Overlaps of two pictures: the soft Dice coefficient and the Jaccard index. */

import type { Json } from "../schema";
import { type Agreement, numberIn, type Values } from "./agreement";

export function softDice(target: Values, params: Json): Agreement {
  const floor = numberIn(params, "floor", 0.01);
  let wanted = 0;
  for (let index = 0; index < target.length; index += 1) wanted += Math.abs(target[index] ?? 0);
  return (shown) => {
    let [differing, own] = [0, 0];
    for (let index = 0; index < target.length; index += 1) {
      const value = shown[index] ?? 0;
      differing += Math.abs(value - (target[index] ?? 0));
      own += Math.abs(value);
    }
    return 1 - differing / (floor + own + wanted);
  };
}

export const ON_FROM = 0.5;

export function binaryJaccard(target: Values, params: Json): Agreement {
  const threshold = numberIn(params, "threshold", ON_FROM);
  return (shown) => {
    let [both, either] = [0, 0];
    for (let index = 0; index < target.length; index += 1) {
      const [isOn, isWanted] = [(shown[index] ?? 0) >= threshold, (target[index] ?? 0) >= threshold];
      if (isOn && isWanted) both += 1;
      if (isOn || isWanted) either += 1;
    }
    return either === 0 ? 1 : both / either;
  };
}
