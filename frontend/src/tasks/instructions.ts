/** Instructions: pages to read at one's own pace, forwards and back. */

import type { Display, Example, InstructionsParams } from "../schema";
import { type Child, h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { lastSaved } from "../shared/saved";
import { type Context, type Render, taskPlugin } from "../shared/task";
import { explanationView } from "../views";
import { contentView } from "../views/content";
import { itemPicture } from "../views/item_picture";

const render: Render<InstructionsParams> = (shown, element, context, done) => {
  const { texts } = context;
  const { pages, assets, examples, display } = shown.params;
  const { explanation } = shown;
  const body = (index: number, size: string): Child[] => {
    const asset = assets[index];
    return [
      h("div", { class: size }, ...prose(pages[index] ?? "")),
      asset ? itemPicture(asset, texts.instructions.picture, context) : null,
      exampleView(examples[index], context, display),
      explanation && index === pages.length - 1 ? explanationView(explanation, context, { display }) : null,
    ];
  };
  const isWide = examples.some(isShown);
  let at = Math.min(lastSaved(context.saved, "page_opened")?.page ?? 0, pages.length - 1);
  let drawn: { press(): void };
  const turn = (to: number) => {
    at = to;
    context.log("page_opened", { page: at });
    draw();
    element.querySelector<HTMLElement>("h1")?.focus();
  };
  const draw = () => {
    const isLast = at >= pages.length - 1;
    const back = h("button", { type: "button", class: "button", onclick: () => turn(at - 1) }, texts.back);
    drawn = page(
      element,
      context,
      {
        heading: texts.instructions.heading,
        eyebrow: pages.length > 1 ? texts.instructions.page(at + 1, pages.length) : undefined,
        body: body(at, "prose is-large"),
        isWide,
        extra: at > 0 ? [back] : [],
        answers: () => {
          if (isLast) return {};
          turn(at + 1);
          return null;
        },
      },
      done,
    );
  };
  const drawAll = () =>
    page(
      element,
      context,
      {
        heading: texts.instructions.heading,
        body: pages.flatMap((_, index) => body(index, "prose")),
        isWide,
      },
      done,
    );
  if (context.isReference) drawn = drawAll();
  else draw();
  return { press: () => drawn.press() };
};

function isShown(example: Example | undefined): example is Example {
  return example !== undefined && Object.keys(example.content).length > 0;
}

/** A made-up case and its explanation, drawn as the pages to come draw theirs, and framed so as not to pass for one. */
function exampleView(example: Example | undefined, context: Context, display: Display): HTMLElement | null {
  if (!isShown(example)) return null;
  const { texts } = context;
  return h(
    "section",
    { class: "example", "aria-label": texts.instructions.example },
    h("p", { class: "example-mark" }, texts.instructions.example),
    h("div", { class: "prose" }, ...prose(example.caption)),
    h(
      "div",
      { class: example.explanation ? "split" : "single" },
      h(
        "div",
        {},
        h("section", { class: "item", "aria-label": texts.judge.details }, contentView(example.content, context)),
      ),
      example.explanation
        ? h(
            "div",
            {},
            h(
              "section",
              { class: "explanation" },
              h("h2", {}, texts.judge.explanation),
              explanationView(example.explanation, context, {
                display,
                shownFiles: new Set(Object.values(example.content).filter((value) => typeof value === "string")),
              }),
            ),
          )
        : null,
    ),
  );
}

export default taskPlugin("instructions", "1", render);
