/** First page: drawn from what came with the page itself, before there is a place in the study.
 *
 * People read it while the server is asked and the rest of the page is fetched. What they press waits for both.
 */

import type { Answers } from "../schema";
import { type Context, standalone } from "../shared/task";
import { textsFor } from "../shared/texts";
import { FIRST } from "../tasks/first";
import type { Shell } from "./shell";
import type { State, StepState } from "./state";
import { stepFacts } from "./step_facts";

/** Where the server writes the state that every newcomer starts in; absent where people may start in different ones. */
const PLACE = "#first-page";

export class FirstPage {
  readonly #conducted: Promise<Context>;
  readonly #answered: Promise<void>;
  #conduct: (context: Context) => void = () => undefined;
  #answer: () => void = () => undefined;

  private constructor(private readonly state: State) {
    this.#conducted = new Promise((resolve) => (this.#conduct = resolve));
    this.#answered = new Promise((resolve) => (this.#answer = resolve));
  }

  /** Draws the page that came along; null where none did that can be drawn at once. */
  static drawn(shell: Shell, document: Document): FirstPage | null {
    const written = document.querySelector(PLACE)?.textContent;
    if (!written) return null;
    const state: State = JSON.parse(written);
    const { step } = state;
    const task = step && FIRST[step.trial.task];
    if (!task) return null;
    const first = new FirstPage(state);
    shell.speak(textsFor(state.study.language), state.study.language);
    shell.follow(state);
    const { params, asks, explanation } = step.trial;
    shell.stage.dataset["task"] = step.trial.task;
    const shown = { params, asks: asks ?? [], explanation: explanation ?? null };
    task.render(shown, shell.stage, first.#context(step), () => first.#answer());
    shell.stop.onclick = () => void first.#conducted.then(() => shell.stop.click());
    shell.focusHeading();
    return first;
  }

  /** Whether a session starts with just this page. */
  isOf(started: State): boolean {
    return told(started) === told(this.state);
  }

  /** Takes the page into a session; resolves when it has been answered. */
  async conduct(context: Context): Promise<void> {
    this.#conduct(context);
    return this.#answered;
  }

  #context(step: StepState): Context {
    const { study } = this.state;
    return {
      ...standalone(study.language),
      title: study.title,
      ...stepFacts(step),
      announced: study,
      commit: async (answers: Answers) => (await this.#conducted).commit(answers),
    };
  }
}

/** What people see of the state that they are in; names differ from session to session. */
function told({ study, step }: State): string {
  return JSON.stringify([study, step], (key, value) => (key === "trial_id" || key === "block_id" ? "" : value));
}
