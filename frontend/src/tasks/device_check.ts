/** Device check: measures the window and helps to make it larger. */

import type { DeviceCheckParams, DeviceCheckResponse } from "../schema";
import { h } from "../shared/dom";
import { page } from "../shared/page";
import { lastSaved } from "../shared/saved";
import { type Render, taskPlugin } from "../shared/task";

/** No phone held upright is wider, and hardly any other window is as narrow. */
const PHONE_PX = 500;

const render: Render<DeviceCheckParams> = (shown, element, context, done) => {
  const { texts } = context;
  const { min_width_px, min_height_px } = shown.params;
  // Only a replay brings an answer along: it shows the participant's window and not the researcher's.
  const kept = lastSaved(context.saved, "draft")?.answers ?? {};
  const size = (): DeviceCheckResponse => ({
    width_px: Number(kept["width_px"] ?? Math.round(window.innerWidth)),
    height_px: Number(kept["height_px"] ?? Math.round(window.innerHeight)),
  });
  const isFine = () => size().width_px >= min_width_px && size().height_px >= min_height_px;
  const verdict = h("p", { class: "verdict", role: "status" });
  // The window of a phone is its screen, which nobody can enlarge. Judged by its size, so that a replay says the same.
  const isPhone = () => Math.min(size().width_px, size().height_px) < PHONE_PX;
  const small = () => (isPhone() ? texts.device.smallScreen : texts.device.small);
  const hint = h("p", {});
  const now = h("li", {});
  const cannot = h("button", { type: "button", class: "button", onclick: () => void drawn.send(size()) });
  const outline = h("div", { class: "window-outline", "aria-hidden": "true" }, h("span", {}));
  const look = () => {
    const { width_px, height_px } = size();
    verdict.textContent = isFine() ? texts.device.fine : small();
    hint.textContent = isPhone() ? texts.device.phone : texts.device.hint;
    cannot.textContent = isPhone() ? texts.device.goOn : texts.device.cannot;
    verdict.classList.toggle("is-right", isFine());
    hint.hidden = cannot.hidden = isFine();
    // One way on at a time: next to it, the other would only say once more that the window is too small.
    next.hidden = !isFine();
    now.textContent = texts.device.size(width_px, height_px);
    outline.style.setProperty("--width", String(Math.min(1, width_px / min_width_px)));
    outline.style.setProperty("--height", String(Math.min(1, height_px / min_height_px)));
  };
  window.addEventListener("resize", look);
  const drawn = page(
    element,
    context,
    {
      heading: texts.device.heading,
      body: [
        h(
          "div",
          { class: "device" },
          outline,
          h(
            "div",
            {},
            verdict,
            hint,
            h("ul", { class: "sizes" }, now, h("li", {}, texts.device.needed(min_width_px, min_height_px))),
          ),
        ),
      ],
      extra: [cannot],
      answers: () => {
        if (isFine()) return size();
        drawn.tell(small());
        return null;
      },
    },
    done,
  );
  const next = drawn.card.querySelector<HTMLButtonElement>("button[type=submit]") ?? cannot;
  look();
  return {
    press: () => (isFine() ? drawn.press() : cannot.click()),
    cleanup: () => window.removeEventListener("resize", look),
  };
};

export default taskPlugin("device_check", "1", render);
