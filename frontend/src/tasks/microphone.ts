/** Microphone: asks to record the voice, apart from consent; yes and no are equal, and the study goes on either way. */

import type { MicrophoneParams, MicrophoneResponse } from "../schema";
import { h } from "../shared/dom";
import { page } from "../shared/page";
import { prose } from "../shared/prose";
import { type Render, taskPlugin } from "../shared/task";

const ANSWERS = {
  agreed: { microphone: "agreed" },
  declined: { microphone: "declined" },
  unavailable: { microphone: "not available" },
} as const satisfies Record<string, MicrophoneResponse>;

const render: Render<MicrophoneParams> = (shown, element, context, done) => {
  const { texts } = context;
  let isAsking = false;
  let hasFailed = false;
  let isGone = false;
  const decline = h(
    "button",
    {
      type: "button",
      class: "button",
      onclick: () => void drawn.send(hasFailed ? ANSWERS.unavailable : ANSWERS.declined),
    },
    texts.microphone.decline,
  );
  const trouble = h("p", { class: "fault", role: "alert", hidden: true }, texts.microphone.failed);
  const ask = async () => {
    if (isAsking || isGone) return;
    isAsking = true;
    const isThere = await hasMicrophone();
    isAsking = false;
    if (isGone) return;
    if (isThere) return drawn.send(ANSWERS.agreed);
    context.log("microphone_refused", {});
    fail();
  };
  const fail = () => {
    hasFailed = true;
    decline.textContent = texts.microphone.without;
    trouble.hidden = false;
  };
  const drawn = page(
    element,
    context,
    {
      heading: texts.microphone.heading,
      body: [
        h("div", { class: "prose" }, ...prose(shown.params.text)),
        h("p", {}, texts.microphone.control),
        context.isReference ? null : h("p", { class: "ask" }, texts.microphone.ask),
        trouble,
      ],
      extra: [decline],
      next: texts.microphone.agree,
      answers: () => {
        void ask();
        return null;
      },
    },
    done,
  );
  if (context.saved.some((event) => event.action === "microphone_refused")) fail();
  return {
    fill: (answers, hands) => {
      hasFailed = answers["microphone"] === "not available";
      if (answers["microphone"] !== "agreed") hands.click(decline);
    },
    press: () => (hasFailed ? decline.click() : drawn.press()),
    cleanup: () => (isGone = true),
  };
};

/** Asks the browser, and lets the microphone go at once: nothing is recorded on this page. */
async function hasMicrophone(): Promise<boolean> {
  if (typeof MediaRecorder === "undefined") return false;
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    for (const track of stream.getTracks()) track.stop();
    return true;
  } catch {
    return false;
  }
}

export default taskPlugin("microphone", "1", render);
