/** Chances: the normal curve, its tails, and how chances are written and placed on the slider. */

export const SMALLEST_ALPHA = 0.0001;
export const LARGEST_ALPHA = 0.5;
/** Positions of the slider; each is less than a hundredth of a decade. */
export const SLIDER_STEPS = 1000;

const A = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
];
const B = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1];
const C = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];

/** Returns how far out both tails of the normal curve begin that together hold the chance p (Acklam's approximation). */
export function tailStart(p: number): number {
  const tail = Math.min(1, Math.max(p, 1e-300)) / 2;
  if (tail < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(tail));
    return -horner(C, q) / horner(D, q);
  }
  const q = tail - 0.5;
  return (-q * horner(A, q * q)) / horner(B, q * q);
}

/** Returns the height of the normal curve, one at its middle. */
export function curveHeight(z: number): number {
  return Math.exp((-z * z) / 2);
}

/** Writes a chance as people read it: two digits that count, and never as 0. */
export function chanceText(p: number): string {
  if (p < 0.0001) return "< 0.0001";
  if (p > 0.995) return "1.0";
  const digits = p < 0.001 ? 4 : p < 0.1 ? 3 : 2;
  return p.toFixed(digits);
}

/** Writes a threshold without zeros at its end. */
export function alphaText(alpha: number): string {
  return String(Number(alpha.toPrecision(3)));
}

/** Places a threshold on the slider, whose scale is logarithmic. */
export function sliderPlace(alpha: number): number {
  const share = Math.log(alpha / SMALLEST_ALPHA) / Math.log(LARGEST_ALPHA / SMALLEST_ALPHA);
  return Math.round(Math.min(1, Math.max(0, share)) * SLIDER_STEPS);
}

/** Reads a threshold from a place of the slider, rounded to three digits. */
export function alphaAt(position: number): number {
  const alpha = SMALLEST_ALPHA * (LARGEST_ALPHA / SMALLEST_ALPHA) ** (position / SLIDER_STEPS);
  return Number(alpha.toPrecision(3));
}

function horner(factors: readonly number[], at: number): number {
  return factors.reduce((sum, factor) => sum * at + factor, 0);
}
