/** Tree warm-up: how a path through a decision tree is read and checked, with a worked example and two exercises. */

import type { TreeWarmUpParams } from "../schema";
import { type Child, h } from "../shared/dom";
import { draftedForm, page } from "../shared/page";
import { textBlock } from "../shared/prose";
import { type Context, type Render, taskPlugin } from "../shared/task";
import { type FruitName, fruitPicture, fruitTree } from "./fruit_tree";

const EXERCISES: Readonly<Record<string, { readonly fruit: FruitName; readonly leaf: string }>> = {
  exercise_1: { fruit: "yellow_lemon", leaf: "B" },
  exercise_2: { fruit: "green_banana", leaf: "A" },
};

const render: Render<TreeWarmUpParams> = (shown, element, context, done) => {
  const { warmUp } = context.texts;
  const { text, part, reason } = shown.params;
  const form = draftedForm(shown.asks, context);
  const exercise = EXERCISES[part];
  const body: Child[] = [
    textBlock(reason),
    textBlock(text),
    part === "exercise_1" ? example(context) : null,
    exercise
      ? h(
          "section",
          { class: "warm-up" },
          h("h2", {}, warmUp.exercise(part === "exercise_1" ? 1 : 2)),
          scene(exercise.fruit, exercise.leaf, context),
        )
      : null,
  ];
  const drawn = page(element, context, { heading: warmUp.heading, body, form, isWide: part !== "result" }, done);
  return { fill: (answers, hands) => form?.enter(answers, hands), press: drawn.press };
};

/** The fruit, the tree, and the way that the model went. */
function scene(fruit: FruitName, leaf: string, context: Context): HTMLElement {
  return h("div", { class: "fruit-scene" }, fruitPicture(fruit, context), fruitTree(leaf, context));
}

/** A case with the answers filled in, framed so as not to pass for an exercise. */
function example(context: Context): HTMLElement {
  const { warmUp } = context.texts;
  return h(
    "section",
    { class: "example", "aria-label": warmUp.example },
    h("p", { class: "example-mark" }, warmUp.example),
    scene("yellow_banana", "E", context),
    h(
      "dl",
      { class: "filled-in" },
      ...warmUp.filledIn.flatMap(([question, answer]) => [h("dt", {}, question), h("dd", {}, answer)]),
    ),
  );
}

export default taskPlugin("tree_warm_up", "1", render);
