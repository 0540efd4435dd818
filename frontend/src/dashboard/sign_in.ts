/** The way in: one field for the admin token. */

import { h } from "../shared/dom";
import { type Desk, Refused } from "./desk";

/** Draws the form; `entered` is called with a pass in the cookie. */
export function signIn(desk: Desk, entered: () => void): HTMLElement {
  const field = h("input", {
    class: "entry",
    type: "password",
    id: "token",
    autocomplete: "current-password",
    required: true,
  });
  const fault = h("p", { class: "fault", role: "alert" });
  const send = async (event: Event) => {
    event.preventDefault();
    try {
      await desk.signIn(field.value.trim());
      entered();
    } catch (error) {
      fault.textContent = error instanceof Refused ? error.message : "The server cannot be reached.";
      field.select();
    }
  };
  return h(
    "form",
    { class: "card sign-in", onsubmit: (event) => void send(event) },
    h("p", { class: "eyebrow" }, "understudy"),
    h("h1", { tabindex: -1 }, "Sign in to the dashboard"),
    h("p", { class: "hint" }, "The token is in the secret file of the study's folder, or in UNDERSTUDY_ADMIN_TOKEN."),
    h("div", {}, h("label", { class: "field-name", for: "token" }, "Admin token"), field),
    fault,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "button primary" }, "Sign in")),
  );
}
