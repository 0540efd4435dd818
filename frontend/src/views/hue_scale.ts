/** Hue scales: from a byte of a heat map to a colour, evenly for the eye and safe for colour-blind readers. */

export type Rgb = readonly [number, number, number];

/** Viridis, at 16 points (S. van der Walt and N. Smith, CC0): lightness rises evenly from the least to the most. */
const SEQUENTIAL =
  "440154 481a6c 472f7d 414487 39568c 31688e 2a788e 23888e 1f988b 22a884 35b779 54c568 7ad151 a5db36 d2e21b fde725";
/** Brown for what speaks against, blue for what speaks for, as bars and words have it; a neutral middle at zero.
 *
 * The halves are those of ColorBrewer's PuOr and RdBu, whose ends differ for every kind of colour vision.
 */
const DIVERGING = "7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061";

/** Returns the colours of all 256 bytes. */
export function hues(isSigned: boolean): readonly Rgb[] {
  const stops = stopsOf(isSigned);
  return Array.from({ length: 256 }, (_, byte) => between(stops, byte / 255));
}

/** Returns the scale as the background of a bar. */
export function gradient(isSigned: boolean): string {
  return `linear-gradient(to right, ${stopsOf(isSigned)
    .map((rgb) => `rgb(${rgb.join(" ")})`)
    .join(", ")})`;
}

function stopsOf(isSigned: boolean): readonly Rgb[] {
  return (isSigned ? DIVERGING : SEQUENTIAL).split(" ").map((code) => {
    const number = Number.parseInt(code, 16);
    return [number >> 16, (number >> 8) & 255, number & 255];
  });
}

function between(stops: readonly Rgb[], share: number): Rgb {
  const at = share * (stops.length - 1);
  const left = Math.min(Math.floor(at), stops.length - 2);
  const [low, high] = [stops[left] as Rgb, stops[left + 1] as Rgb];
  const mix = (channel: 0 | 1 | 2) => Math.round(low[channel] + (at - left) * (high[channel] - low[channel]));
  return [mix(0), mix(1), mix(2)];
}
