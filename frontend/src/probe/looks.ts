/** Looks: the one style sheet of the picture, with hues of the page or with fixed ones for paper. */

/** The hues that differ between a page, which may be dark, and paper. */
export interface Palette {
  readonly ink: string;
  readonly unproven: string;
  readonly rejected: string;
  readonly soft: string;
  readonly line: string;
  readonly ground: string;
  readonly well: string;
  readonly wash: string;
  readonly accent: string;
  readonly tail: string;
}

export const ON_PAPER: Palette = {
  ink: "#12181f",
  unproven: "#4d5863",
  rejected: "#6c7782",
  soft: "#54606d",
  line: "#d7dcdf",
  ground: "#ffffff",
  well: "#f4f6f5",
  wash: "#e3f0ee",
  accent: "#0f6b66",
  tail: "#e8751a",
};

export const ON_A_PAGE: Palette = {
  ink: "var(--ink)",
  unproven: "var(--unproven)",
  rejected: "var(--rejected)",
  soft: "var(--soft)",
  line: "var(--line)",
  ground: "var(--panel)",
  well: "var(--well)",
  wash: "var(--wash)",
  accent: "var(--accent)",
  tail: "var(--tail)",
};

export const FONT =
  "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
/** Renderers without a page know no generic names but the last. */
export const PAPER_FONT = "'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif";

/** Writes the style sheet; only simple selectors, which every renderer understands. */
export function sheetOf(palette: Palette, font: string): string {
  const { ink, unproven, rejected, soft, line, ground, well, wash, accent, tail } = palette;
  return `
.probe { font-family: ${font}; }
.probe text { fill: ${ink}; }
.probe .heading { font-size: 11px; font-weight: 600; fill: ${soft}; letter-spacing: 0.04em; }
.probe .title { font-size: 21px; font-weight: 600; letter-spacing: -0.01em; }
.probe .told { font-size: 12.5px; fill: ${soft}; }
.probe .name { font-size: 12px; font-weight: 600; font-variant-numeric: tabular-nums; }
.probe .statement { font-size: 12.5px; }
.probe.is-vertical .statement { font-size: 12px; }
.probe .small { font-size: 10.5px; fill: ${soft}; }
.probe .number { font-size: 12.5px; font-weight: 600; font-variant-numeric: tabular-nums; }
.probe .end { text-anchor: end; }
.probe .middle { text-anchor: middle; }
.probe .is-confirmed .statement, .probe .is-confirmed .name { fill: ${ink}; font-weight: 600; }
.probe .is-unproven .statement, .probe .is-unproven .name { fill: ${unproven}; }
.probe .is-rejected .statement, .probe .is-rejected .name { fill: ${rejected}; }
.probe .ground { fill: ${ground}; }
.probe .band { fill: ${ground}; fill-opacity: 0; }
.probe .is-lit > .band { fill: ${wash}; fill-opacity: 1; }
.probe .hit { fill: ${ground}; fill-opacity: 0; }
.probe .rule { stroke: ${line}; stroke-width: 1; }
.probe .slot { fill: ${well}; }
.probe .full { fill: ${ink}; }
.probe .inside { fill: none; stroke: ${ground}; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.probe .ring { fill: ${ground}; stroke: ${rejected}; stroke-width: 1.6; }
.probe .stroke { fill: none; stroke: ${rejected}; stroke-width: 1.8; stroke-linecap: round; }
.probe .open { fill: ${ground}; stroke: ${unproven}; stroke-width: 1.4; }
.probe .broken { stroke-dasharray: 2.6 2.2; }
.probe .asks { fill: ${unproven}; font-size: 11px; font-weight: 600; text-anchor: middle; }
.probe .diamond { fill: ${ground}; stroke: ${soft}; stroke-width: 1.4; }
.probe .is-active .diamond { fill: ${soft}; }
.probe .wire { fill: none; stroke: ${line}; stroke-width: 1.2; }
.probe .is-lit.wire { stroke: ${accent}; stroke-width: 2; }
.probe .card { fill: ${ground}; stroke: ${line}; stroke-width: 1; }
.probe .is-lit > .card { stroke: ${accent}; stroke-width: 2; fill: ${wash}; }
.probe .result .rule { stroke-opacity: 0.8; }
.probe .curve { fill: ${line}; }
.probe .tail { fill: ${tail}; }
.probe .outline { fill: none; stroke: ${soft}; stroke-width: 1; }
.probe .mark { stroke: ${ink}; stroke-width: 1.2; }
.probe .is-different .number { fill: ${ink}; }
.probe .is-alike .number, .probe .is-alike .sign { fill: ${rejected}; font-weight: 400; }
.probe .sign { font-size: 12px; font-weight: 600; }
.probe .link { fill: none; stroke: ${unproven}; stroke-linecap: butt; stroke-opacity: 0.62; }
.probe .is-alike.link { stroke: ${rejected}; stroke-dasharray: 5 4; }
.probe .is-lit.link { stroke: ${accent}; stroke-opacity: 1; }
.probe .is-dim { opacity: 0.22; }
.probe .interval { stroke: ${ink}; stroke-width: 2.2; stroke-linecap: round; }
.probe .mean { fill: ${ink}; stroke: ${ground}; stroke-width: 1.6; }
.probe .is-lit .interval { stroke: ${accent}; }
.probe .is-lit .mean { fill: ${accent}; }
.probe .share { fill: ${soft}; }
.probe .sentence { font-size: 13px; }
`;
}
