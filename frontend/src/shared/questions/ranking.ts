/** All options in order, by dragging or by buttons; the first order counts only when it is kept on purpose. */

import type { JsonValue, Ranking } from "../../schema";
import { h } from "../dom";
import { type Field, type FieldContext, framed, unanswered } from "./field";

export function ranking(question: Ranking, context: FieldContext): Field {
  const { texts } = context;
  let order = context.ordered(question.question_id, question.options);
  let isSet = false;
  const list = h("ol", { class: "ranking" });
  const said = h("p", { class: "visually-hidden", "aria-live": "polite" });
  const keep = h(
    "button",
    { type: "button", class: "button quiet keep", onclick: () => settle() },
    texts.questions.keep,
  );
  const settle = () => {
    isSet = true;
    keep.classList.add("is-set");
    keep.textContent = texts.questions.kept;
    context.changed();
  };
  const move = (option: string, to: number) => {
    const rest = order.filter((other) => other !== option);
    rest.splice(Math.max(0, Math.min(to, rest.length)), 0, option);
    order = rest;
    draw();
    said.textContent = texts.questions.moved(option, order.indexOf(option) + 1);
    settle();
  };
  const draw = () => list.replaceChildren(...order.map((option, index) => row(option, index)));
  const row = (option: string, index: number) => {
    const step = (by: -1 | 1) => () => {
      move(option, index + by);
      focusArrow(list, option, by);
    };
    const arrow = (by: -1 | 1, label: string, sign: string) =>
      h(
        "button",
        {
          type: "button",
          class: "arrow",
          "data-by": by,
          "aria-label": label,
          disabled: !order[index + by],
          onclick: step(by),
        },
        sign,
      );
    const item = h(
      "li",
      { "data-option": option },
      h("span", { class: "grip", "aria-hidden": "true" }, "⠿"),
      h("span", { class: "name" }, option),
      arrow(-1, texts.questions.up(option), "↑"),
      arrow(1, texts.questions.down(option), "↓"),
    );
    item.addEventListener("pointerdown", (event) => drag(event, item, option));
    return item;
  };
  const drag = (event: PointerEvent, item: HTMLElement, option: string) => {
    if ((event.target as Element).closest("button") || event.button !== 0) return;
    event.preventDefault();
    item.classList.add("is-dragged");
    const start = event.clientY;
    const follow = (at: PointerEvent) => item.style.setProperty("transform", `translateY(${at.clientY - start}px)`);
    const drop = (at: PointerEvent) => {
      window.removeEventListener("pointermove", follow);
      const others = [...list.children].filter((child) => child !== item);
      const above = others.filter((other) => middleOf(other) < at.clientY).length;
      // A mere click moves nothing, and must not stand for an order kept on purpose.
      if (above === order.indexOf(option)) draw();
      else move(option, above);
    };
    window.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", drop, { once: true });
  };
  draw();
  const frame = framed(question, texts, [h("p", { class: "hint" }, texts.questions.rankHint), list, keep, said]);
  return {
    ...frame,
    value: () => (isSet ? [...order] : null),
    fault: () => (isSet ? null : unanswered(question, texts.questions.rank)),
    put(value: JsonValue) {
      if (!Array.isArray(value)) return;
      order = value.map(String);
      draw();
      isSet = true;
      keep.classList.add("is-set");
      keep.textContent = texts.questions.kept;
    },
    enter(value, hands) {
      const wanted = Array.isArray(value) ? value.map(String) : [];
      wanted.forEach((option, index) => {
        for (let at = order.indexOf(option); at > index; at -= 1) {
          const item = [...list.children].find((child) => (child as HTMLElement).dataset["option"] === option);
          const up = item?.querySelector("[data-by='-1']");
          if (up) hands.click(up);
        }
      });
      if (!isSet) hands.click(keep);
    },
    focus: () => keep.focus(),
  };
}

function middleOf(element: Element): number {
  const box = element.getBoundingClientRect();
  return box.top + box.height / 2;
}

function focusArrow(list: HTMLElement, option: string, by: -1 | 1): void {
  const item = [...list.children].find((child) => (child as HTMLElement).dataset["option"] === option);
  const arrows = [...(item?.querySelectorAll<HTMLButtonElement>(".arrow") ?? [])];
  const same = arrows.find((arrow) => arrow.dataset["by"] === String(by) && !arrow.disabled);
  (same ?? arrows.find((arrow) => !arrow.disabled))?.focus();
}
