/** Pictures: how an output of a live model is drawn, by the name of its view. */

import type { Values } from "../distances/agreement";
import { image } from "./image";
import { line } from "./line";

/** What is known about an output before it is drawn. */
export interface PictureKind {
  readonly shape: readonly number[];
  /** The values drawn as black and white, or as the bottom and the top of a chart. */
  readonly limits: readonly [number, number];
  readonly role: "own" | "target";
  /** Values from here are white and the others black, where only that is compared. */
  readonly onFrom?: number;
  /** How far off a point may be, drawn as a band around the target. */
  readonly tolerance?: number;
}

export interface Picture {
  readonly element: Element;
  draw(values: Values): void;
  /** Everything that can be seen, as a text: the same picture gives the same text. */
  content(): string;
}

export type DrawPicture = (kind: PictureKind) => Picture;

const PICTURES: Record<string, DrawPicture> = { image, line };

/** Adds a view for outputs that are neither pictures nor lines. */
export function registerPicture(name: string, draw: DrawPicture): void {
  PICTURES[name] = draw;
}

/** Finds a view; a name that ends in .js is a module of the study's own, with the view as its default. */
export async function pictureView(name: string, media: (address: string) => string): Promise<DrawPicture> {
  const known = PICTURES[name];
  if (known) return known;
  if (!name.endsWith(".js")) throw new Error(`unknown view ${name}`);
  // A static export names its files from where its page is, not from where its scripts are.
  const module = (await import(new URL(media(name), document.baseURI).href)) as { readonly default: DrawPicture };
  registerPicture(name, module.default);
  return module.default;
}
