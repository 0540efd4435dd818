/** Tree layout: where decisions and ends of a tree are drawn; ends in a row of their depth, decisions above their middle. */

import type { PrototypeTree } from "../schema";

export const [COLUMN, LEVEL, TILE] = [96, 132, 72];

export interface Place {
  /** The number of a decision, or -1 - k for the k-th end. */
  readonly at: number;
  /** The middle of the tile. */
  readonly x: number;
  readonly y: number;
}

export interface Branch {
  readonly from: Place;
  readonly to: Place;
  readonly isPresent: boolean;
}

export interface TreeLayout {
  readonly places: readonly Place[];
  readonly branches: readonly Branch[];
  readonly width: number;
  readonly height: number;
}

/** Places a tree from its root at the top; absent is on the left. */
export function treeLayout({ decisions }: Pick<PrototypeTree, "decisions">): TreeLayout {
  const places: Place[] = [];
  const branches: Branch[] = [];
  let nEnds = 0;
  let deepest = 0;
  const put = (at: number, depth: number): Place => {
    deepest = Math.max(deepest, depth);
    const y = (depth + 0.5) * LEVEL;
    const decision = decisions[at];
    if (at < 0 || !decision) {
      nEnds += 1;
      const end = { at, x: (nEnds - 0.5) * COLUMN, y };
      places.push(end);
      return end;
    }
    const [absent, present] = [put(decision.absent, depth + 1), put(decision.present, depth + 1)];
    const own = { at, x: (absent.x + present.x) / 2, y };
    places.push(own);
    branches.push({ from: own, to: absent, isPresent: false }, { from: own, to: present, isPresent: true });
    return own;
  };
  put(0, 0);
  // The lowest row has ends only, which are lower than the tile of a decision.
  return { places, branches, width: nEnds * COLUMN, height: (deepest + 0.5) * LEVEL + TILE / 3 };
}
