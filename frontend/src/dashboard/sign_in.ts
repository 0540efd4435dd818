/** The way in: name and password, or one field for the admin token while nobody has a name. */

import { h } from "../shared/dom";
import { type Desk, Refused, type SignInState } from "./desk";

/** Draws the form; `entered` is called with a pass in the cookie. */
export function signIn(desk: Desk, asksFor: SignInState["asks_for"], entered: () => void): HTMLElement {
  const byName = asksFor === "password";
  const name = h("input", { class: "entry", id: "name", autocomplete: "username", autocapitalize: "none" });
  const secret = h("input", { class: "entry", type: "password", id: "secret", autocomplete: "current-password" });
  const fault = h("p", { class: "fault", role: "alert" });
  const send = async (event: Event) => {
    event.preventDefault();
    try {
      if (byName) await desk.signIn({ token: "", name: name.value.trim(), password: secret.value });
      else await desk.signIn({ token: secret.value.trim(), name: "", password: "" });
      entered();
    } catch (error) {
      fault.textContent = error instanceof Refused ? error.message : "The server cannot be reached.";
      secret.select();
    }
  };
  const hint = byName
    ? "The owner of the study can create a name and a password for you with understudy researchers."
    : "The token is in the secret file of the study's folder, or in UNDERSTUDY_ADMIN_TOKEN.";
  return h(
    "form",
    { class: "card sign-in", novalidate: true, onsubmit: (event) => void send(event) },
    h("p", { class: "eyebrow" }, "understudy"),
    h("h1", { tabindex: -1 }, "Sign in to the dashboard"),
    h("p", { class: "hint" }, hint),
    byName ? h("div", {}, h("label", { class: "field-name", for: "name" }, "Name"), name) : null,
    h("div", {}, h("label", { class: "field-name", for: "secret" }, byName ? "Password" : "Admin token"), secret),
    fault,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "button primary" }, "Sign in")),
  );
}
