/** Draws Vega-Lite specifications as SVG in an embedded engine; Python calls it for the figures of reports. */

import "./engine";

import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

import { textWidth } from "./text_width";

/** A text of a figure, as Vega measures it. */
interface TextItem {
  fontSize?: number;
  fontWeight?: number | string;
  limit?: number;
}

// Vega offers this for engines without a canvas; its types do not say so.
const { textMetrics } = vega as unknown as { textMetrics: { width(item: TextItem, text: unknown): number } };
textMetrics.width = (item, text) => {
  const width = textWidth(String(text ?? "").trim(), item.fontSize ?? 11, item.fontWeight);
  return item.limit ? Math.min(width, item.limit) : width;
};

/** Starts a drawing; its SVG, or what went wrong, is there once the engine has done its waiting work. */
export function draw(specification: TopLevelSpec): { svg?: string; fault?: string } {
  const drawn: { svg?: string; fault?: string } = {};
  new vega.View(vega.parse(compile(specification).spec), { renderer: "none" }).toSVG().then(
    (svg) => {
      drawn.svg = svg;
    },
    (fault: unknown) => {
      drawn.fault = String(fault);
    },
  );
  return drawn;
}
