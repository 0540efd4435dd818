/** Numbers in the reader's own manner: with a sign where direction matters, as shares where it does not. */

import type { Context } from "../shared/task";

/** Writes a number with two decimals and a true minus; `isSigned` puts a plus before what is above zero. */
export function written(value: number, { language }: Context, isSigned = true): string {
  const signDisplay = isSigned ? "exceptZero" : "negative";
  const form = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay });
  return form.format(value).replace("-", "−");
}

/** Writes a share of one in per cent. */
export function percent(share: number, { language }: Context): string {
  return new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** Writes the end of a scale as short as it can be read. */
export function shortNumber(value: number, { language }: Context, isSigned: boolean): string {
  const signDisplay = isSigned ? "exceptZero" : "negative";
  const form = new Intl.NumberFormat(language, { maximumSignificantDigits: 2, signDisplay });
  return form.format(value).replace("-", "−");
}

/** Writes a similarity with two decimals; nothing where the page must not say it. */
export function scoreText(value: number | null | undefined, context: Context): string | null {
  return typeof value === "number" ? written(value, context, false) : null;
}
