/** Screen state: what a screen says and what stands in its controls, as lines of text and as one digest.
 *
 * Player and replay both compute it, so that a replay can prove that it ends where the participant did. Colours,
 * sizes and the focus are left out: they belong to the window and not to the session.
 */

import { numberFrom } from "./questions/number";
import { sha256 } from "./sha256";

/** Returns the digest of all that can be read and all that is entered in some parts of a page. */
export function screenDigest(...parts: readonly Element[]): string {
  return sha256(screenLines(...parts).join("\n"));
}

/** Returns one line for each piece of text, control, picture and film, in the order of the page. */
export function screenLines(...parts: readonly Element[]): string[] {
  return parts.flatMap((part) => (isHidden(part) ? [] : linesIn(part)));
}

function linesIn(parent: Element): string[] {
  return [...parent.childNodes].flatMap((node) => {
    if (node.nodeType === Node.TEXT_NODE) return textLine(node.textContent ?? "");
    return node.nodeType === Node.ELEMENT_NODE ? linesOf(node as Element) : [];
  });
}

function linesOf(element: Element): string[] {
  if (isHidden(element)) return [];
  const tag = element.localName;
  const drawn = (element as HTMLElement).dataset?.["drawn"];
  if (drawn !== undefined) return [`picture ${drawn}`];
  if (tag === "input") return [inputLine(element as HTMLInputElement)];
  if (tag === "textarea" || tag === "select") return [`${tag} ${entered((element as HTMLTextAreaElement).value)}`];
  if (tag === "img" || tag === "video") return [`${tag} ${addressOf(element.getAttribute("src") ?? "")}`];
  if (tag === "button")
    return [`button${(element as HTMLButtonElement).disabled ? " disabled" : ""}`, ...linesIn(element)];
  if (tag === "details" && !(element as HTMLDetailsElement).open) {
    return ["details closed", ...[...element.querySelectorAll(":scope > summary")].flatMap(linesIn)];
  }
  return linesIn(element);
}

function inputLine(input: HTMLInputElement): string {
  const off = input.disabled ? " disabled" : "";
  if (input.type === "radio" || input.type === "checkbox")
    return `${input.type} ${input.checked ? "set" : "unset"}${off}`;
  const isNumber = input.inputMode === "numeric" || input.inputMode === "decimal";
  // 1,50 and 1.5 are one number, and the log keeps the number.
  const value = isNumber ? String(numberFrom(input.value, input.lang) ?? "") : entered(input.value);
  return `${input.type} ${value}${off}`;
}

/** Announcements for screen readers come and go, and are never seen. */
function isHidden(element: Element): boolean {
  return (element as HTMLElement).hidden || element.hasAttribute("aria-live");
}

function textLine(text: string): string[] {
  const plain = text.replace(/\s+/g, " ").trim();
  return plain === "" ? [] : [`text ${plain}`];
}

/** Line breaks are written out, so that no entry can pass for two lines. */
function entered(value: string): string {
  return JSON.stringify(value.trim() === "" ? "" : value);
}

/** The content's own name, whatever lies before it. */
function addressOf(source: string): string {
  return source.split("/").slice(-2).join("/");
}
