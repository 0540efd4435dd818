/** Item panel: an item and what is revealed of it, as every page about items shows it, and the page's heading. */

import type { JudgeParams } from "../schema";
import { h, words } from "../shared/dom";
import type { Context } from "../shared/task";
import { contentView } from "../views/content";
import { shownValue } from "../views/record";
import { named } from "../views/value_names";

type ItemParams = Pick<JudgeParams, "content" | "order" | "revealed" | "names" | "value_names">;

export function itemPanel(params: ItemParams, context: Context): HTMLElement {
  const { content, order, names, value_names: valueNames } = params;
  return h(
    "section",
    { class: "item", "aria-label": context.texts.judge.details },
    contentView(content, context, order),
    ...Object.entries(params.revealed).map(([name, value]) =>
      h(
        "p",
        { class: "revealed" },
        h("span", {}, names[name] ?? words(name)),
        // Read aloud or copied, name and value would otherwise be one word.
        " ",
        h("strong", {}, shownValue(named(value, valueNames), context)),
      ),
    ),
  );
}

export function headingFor({ texts, purpose, position, nPositions }: Context): string {
  if (nPositions <= 1) return texts.judge.heading;
  if (purpose === "learning") return texts.judge.learning(position, nPositions);
  return purpose === "practice" ? texts.judge.practice(position, nPositions) : texts.judge.place(position, nPositions);
}
