/** Instructions: pages to read at one's own pace, forwards and back. */

import { h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";
import { picture } from "../views/record";

const render: Render = (shown, element, context, done) => {
  const { texts } = context;
  const pages = (shown.params["pages"] as string[] | undefined) ?? [];
  const assets = (shown.params["assets"] as string[] | undefined) ?? [];
  const kept = context.saved.findLast((one) => one.action === "page_opened")?.payload["page"];
  let at = typeof kept === "number" ? Math.min(kept, pages.length - 1) : 0;
  let drawn: { press(): void };
  const turn = (to: number) => {
    at = to;
    context.log("page_opened", { page: at });
    draw();
    element.querySelector<HTMLElement>("h1")?.focus();
  };
  const draw = () => {
    const isLast = at >= pages.length - 1;
    const asset = assets[at];
    const back = h("button", { type: "button", class: "button", onclick: () => turn(at - 1) }, texts.back);
    drawn = page(
      element,
      context,
      {
        heading: texts.instructions.heading,
        eyebrow: pages.length > 1 ? texts.instructions.page(at + 1, pages.length) : undefined,
        body: [
          h("div", { class: "prose is-large" }, ...prose(pages[at] ?? "")),
          asset ? picture(context.media(asset), texts.instructions.picture) : null,
        ],
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
        body: pages.flatMap((one, place) => [
          h("div", { class: "prose" }, ...prose(one)),
          assets[place] ? picture(context.media(assets[place]), texts.instructions.picture) : null,
        ]),
      },
      done,
    );
  if (context.isReference) drawn = drawAll();
  else draw();
  return { press: () => drawn.press() };
};

export default taskPlugin("instructions", "1", render);
