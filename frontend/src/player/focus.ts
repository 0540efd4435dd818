/** Focus: says when the page is hidden, shown, left and come back to. */

export interface FocusSigns {
  changed(action: "page_hidden" | "page_shown" | "focus_lost" | "focus_gained"): void;
  /** The page may never come back. */
  leaving(): void;
}

/** Listens for as long as the page lives. */
export function watchFocus(signs: FocusSigns, page: Document = document, view: Window = window): void {
  let hasFocus = true;
  page.addEventListener("visibilitychange", () => {
    signs.changed(page.visibilityState === "hidden" ? "page_hidden" : "page_shown");
    if (page.visibilityState === "hidden") signs.leaving();
  });
  view.addEventListener("pagehide", () => signs.leaving());
  view.addEventListener("blur", () => {
    if (hasFocus) signs.changed("focus_lost");
    hasFocus = false;
  });
  view.addEventListener("focus", () => {
    if (!hasFocus) signs.changed("focus_gained");
    hasFocus = true;
  });
}
