/** Zoom: pictures as large as the window allows, one at a time, in a dialog that the keyboard can leaf through and close. */

import type { Json } from "../schema";
import { openDialog } from "../shared/dialog";
import { h } from "../shared/dom";
import type { Context } from "../shared/task";

export interface Zoomed {
  /** Draws the picture anew. */
  draw(): HTMLElement;
  readonly title: string;
  readonly caption: string;
  /** Goes into the log with every look. */
  readonly told: Json;
}

/** Opens a picture; the others of its series can be reached from there. Logs how long each was looked at. */
export function zoom(series: readonly Zoomed[], first: number, context: Context): void {
  const { close, views } = context.texts;
  const figure = h("figure", { class: "zoomed" });
  const place = h("p", { class: "zoomed-place", role: "status" });
  const turn = (label: string, by: number) =>
    h("button", { type: "button", class: "button", onclick: () => show(shown + by) }, label);
  const [back, next] = [turn(views.previousPicture, -1), turn(views.nextPicture, 1)];
  let shown = first;
  let since = performance.now();
  const left = () => {
    const told = series[shown]?.told ?? {};
    context.log("picture_closed", { ...told, open_ms: Math.round(performance.now() - since) });
  };
  const draw = () => {
    const picture = series[shown];
    if (!picture) return;
    context.log("picture_opened", picture.told);
    since = performance.now();
    // Without its words, one picture of many would lose its place in the rows.
    const caption = picture.caption || (series.length > 1 ? picture.title : "");
    figure.replaceChildren(picture.draw(), ...(caption ? [h("figcaption", {}, caption)] : []));
    place.textContent = views.pictureOf(shown + 1, series.length);
    back.disabled = shown === 0;
    next.disabled = shown === series.length - 1;
  };
  const show = (index: number) => {
    if (index < 0 || index >= series.length) return;
    left();
    shown = index;
    draw();
    dialog.setAttribute("aria-label", series[shown]?.title ?? "");
    // A button that is over loses the focus.
    if (document.activeElement === document.body) (back.disabled ? next : back).focus();
  };
  draw();
  const dialog = openDialog({
    label: series[first]?.title ?? "",
    className: "is-picture",
    body: figure,
    close,
    extra: series.length > 1 ? [place, back, next] : [],
    closed: left,
  });
  dialog.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowLeft") show(shown - 1);
    if (key === "ArrowRight") show(shown + 1);
  });
}

/** Lets a frame be opened with mouse and keyboard. No button of its own: a screen that was recorded without one must
 * compare equal when it is replayed.
 */
export function letOpen(frame: HTMLElement, name: string, open: () => void): void {
  frame.classList.add("is-zoomable");
  frame.tabIndex = 0;
  for (const [attribute, value] of [
    ["role", "button"],
    ["aria-label", name],
    ["aria-haspopup", "dialog"],
  ] as const)
    frame.setAttribute(attribute, value);
  frame.addEventListener("click", open);
  frame.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    open();
  });
}
