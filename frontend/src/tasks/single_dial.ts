/** Single dial: examples of what one dial does on the left, a picture to judge by them on the right. */

import type { Question, SingleDialParams } from "../schema";
import { h } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { lastSaved } from "../shared/saved";
import { type Context, type Render, taskPlugin } from "../shared/task";
import { type Look, type SmallPicture, smallPicture, unpacked } from "../views/small_pictures";

const render: Render<SingleDialParams> = (shown, element, context, done) => {
  const { params } = shown;
  const { texts } = context;
  const { number, text } = params;
  const look: Look = params;
  const form = draftedForm(shown.asks, context);
  const asked = smallPicture(look, texts.dial.picture);
  fill([asked], params.picture, look);
  const captions = captionsOf(shown.asks);
  const judged = h(
    "div",
    {},
    h("section", { class: "dial-asked", "aria-label": texts.dial.asked }, asked.element),
    form?.element,
  );
  const split = h(
    "div",
    { class: "split dial-page" },
    h(
      "section",
      { class: "dial-aid", "aria-label": texts.dial.examples(number) },
      ...aid(params, look, captions, context),
    ),
    judged,
  );
  split.style.setProperty("--edge-px", `${params.edge}px`);
  const drawn = page(
    element,
    context,
    {
      heading: headingFor(context),
      body: [textBlock(text), split],
      isWide: true,
      next: form ? texts.submit : texts.next,
      answers: () => (form ? form.answers() : {}),
    },
    done,
  );
  drawn.card.classList.add("is-dial");
  // The way on stands beside the examples, so that a small window holds both.
  judged.append(...drawn.card.querySelectorAll(":scope > .actions"));
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
};

/** The examples: one set at a time, with the way to the next. */
function aid(params: SingleDialParams, look: Look, captions: readonly string[], context: Context): HTMLElement[] {
  const { texts } = context;
  const { sets, number } = params;
  const isTable = params.layout === "traversals";
  const grid = isTable ? traversals(params, look, captions) : exemplars(params, look, captions);
  const status = h("p", { class: "hint", role: "status" });
  let setIndex = savedSetIndex(context, sets.length);
  const show = () => {
    status.textContent = texts.dial.set(setIndex + 1, sets.length);
    fill(grid.pictures, sets[setIndex] ?? "", look);
  };
  const more = h(
    "button",
    {
      type: "button",
      class: "button quiet",
      onclick: () => {
        setIndex = (setIndex + 1) % Math.max(1, sets.length);
        context.log("more_shown", { set: setIndex });
        show();
      },
    },
    texts.dial.more,
  );
  show();
  const explained = isTable ? texts.dial.traversals : texts.dial.exemplars;
  const bar = context.isReference || sets.length < 2 ? null : h("div", { class: "dial-more" }, more, status);
  return [
    h("h2", {}, texts.dial.examples(number)),
    h("p", { class: "hint" }, explained),
    grid.element,
    ...(bar ? [bar] : []),
  ];
}

interface Grid {
  readonly element: HTMLElement;
  /** In the order of the packed set. */
  readonly pictures: readonly SmallPicture[];
}

/** One bin of pictures for each regime. */
function exemplars({ n_rows: nRows }: SingleDialParams, look: Look, captions: readonly string[]): Grid {
  const bins = captions.map(() => Array.from({ length: nRows }, () => smallPicture(look)));
  const figures = bins.map((bin, k) =>
    h(
      "figure",
      { class: "bin" },
      h("figcaption", {}, captions[k] ?? ""),
      h("div", { class: "bin-pictures" }, ...bin.map((picture) => picture.element)),
    ),
  );
  return { element: h("div", { class: "bins" }, ...figures), pictures: bins.flat() };
}

/** Rows in which the dial moves from the first regime to the last. */
function traversals(params: SingleDialParams, look: Look, captions: readonly string[]): Grid {
  const { n_rows: nRows, n_columns: nColumns } = params;
  const pictures = Array.from({ length: nRows * nColumns }, () => smallPicture(look));
  const table = h("div", { class: "traversal" }, ...pictures.map((picture) => picture.element));
  table.style.setProperty("--columns", String(nColumns));
  const words = h("figcaption", { class: "traversal-captions" }, ...captions.map((caption) => h("span", {}, caption)));
  words.classList.toggle("is-each", captions.length === nColumns);
  words.style.setProperty("--columns", String(nColumns));
  return { element: h("figure", {}, table, words), pictures };
}

function fill(pictures: readonly SmallPicture[], packed: string, look: Look): void {
  void unpacked(packed, look).then((outputs) => outputs.forEach((output, k) => pictures[k]?.draw(output)));
}

/** The regimes are called on the page what the question calls them. */
function captionsOf(asks: readonly Question[]): string[] {
  const asked = asks.find((question) => question.question_id === "regime");
  return asked?.kind === "choice" ? asked.options : [];
}

function savedSetIndex(context: Context, nSets: number): number {
  const setIndex = lastSaved(context.saved, "more_shown")?.set ?? 0;
  return setIndex >= 0 && setIndex < nSets ? setIndex : 0;
}

function headingFor({ texts, purpose, position, nPositions }: Context): string {
  if (nPositions <= 1) return texts.dial.heading;
  return purpose === "practice" ? texts.judge.practice(position, nPositions) : texts.dial.place(position, nPositions);
}

export default taskPlugin("single_dial", "1", render);
