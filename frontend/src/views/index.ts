/** One view for each kind of explanation, so that a study compares methods and not artwork. */

import type { Explanation, Json, JsonValue } from "../schema";
import type { Context } from "../shared/task";
import { alternatives } from "./alternatives";
import { attribution } from "./attribution";
import { type Display, displayFrom } from "./display";
import { heatmap } from "./heatmap";
import type { RowColumn } from "./match_rows";
import { path } from "./path";
import { pictureGrid } from "./picture_grid";
import { prototypeMatches } from "./prototype_matches";
import { prototypeTree } from "./prototype_tree";
import { recordView } from "./record";
import { rule } from "./rule";
import { several } from "./several";
import { similarCase } from "./similar_case";
import { statedFor } from "./stated";
import { tokenAttribution } from "./token_attribution";
import { type PathOptions, treePath } from "./tree_path";
import { inWords, type ValueNames } from "./value_names";
import { explanationFrom } from "./wire_form";

/** What the page that shows an explanation adds to it. */
export interface Drawing extends Pick<PathOptions, "stepName" | "decisionNames"> {
  /** Fields of a record in the order they are read in. */
  readonly order?: readonly string[];
  readonly valueNames?: ValueNames;
  /** What the model said, where the page shows it. */
  readonly answer?: JsonValue | undefined;
  readonly display?: Display;
  /** Files that the page shows already, so that a view need not repeat them. */
  readonly shownFiles?: ReadonlySet<string>;
  /** What the page adds to each row of a comparison. */
  readonly columns?: readonly RowColumn[];
}

type Kind = Explanation["kind"];
type OfKind = { readonly [K in Kind]: Extract<Explanation, { kind: K }> };
type Views = { readonly [K in Kind]: View<OfKind[K]> };

/** Draws one kind of explanation. */
export type View<T = Json> = (explanation: T, context: Context, drawing: Drawing) => HTMLElement;

const VIEWS: Views = {
  alternatives: (explanation, context, drawing) =>
    alternatives(explanation, context, drawing.display?.option_name ?? "", (option) => drawn(option, context, drawing)),
  attribution,
  heatmap: (explanation, context, { display = displayFrom(undefined), shownFiles = new Set() }) =>
    heatmap(explanation, context, display, shownFiles.has(explanation.picture.file)),
  path,
  picture_grid: pictureGrid,
  prototype_matches: (explanation, context, { columns }) => prototypeMatches(explanation, context, columns),
  prototype_tree: prototypeTree,
  rule,
  several: (explanation, context, drawing) => several(explanation, context, (part) => drawn(part, context, drawing)),
  similar_case: (explanation, context, { order = [] }) => similarCase(explanation, context, order),
  token_attribution: tokenAttribution,
  tree_path: treePath,
};

const ADDED = new Map<string, View>();

/** Adds the view of a kind that an extension brings; a built-in view stays, so that studies stay comparable. */
export function registerView(kind: string, view: View): void {
  if (hasView(kind)) throw new Error(`the explanation kind ${kind} has a view already; choose another name`);
  ADDED.set(kind, view);
}

/** Draws an explanation; a kind without a view of its own is shown as a table. */
export function explanationView(explanation: Explanation | Json, context: Context, drawing: Drawing = {}): HTMLElement {
  const stated = statedFor(explanationFrom(explanation), drawing.answer);
  return drawn(inWords(stated, drawing.valueNames ?? {}), context, drawing);
}

function drawn(explanation: Explanation, context: Context, drawing: Drawing): HTMLElement {
  if (hasView(explanation.kind)) return viewed(explanation.kind, explanation, context, drawing);
  const { kind, ...fields } = explanation as unknown as Json & { kind: string };
  const added = ADDED.get(kind);
  return added ? added({ kind, ...fields }, context, drawing) : recordView(fields, context, drawing.order);
}

function viewed<K extends Kind>(kind: K, explanation: OfKind[K], context: Context, drawing: Drawing): HTMLElement {
  return VIEWS[kind](explanation, context, drawing);
}

function hasView(kind: string): kind is Kind {
  return Object.hasOwn(VIEWS, kind);
}
