// Wide tables scroll sideways. Keyboards reach only what can have the focus, so the frames of tables get it. The theme
// makes these frames after the page has loaded.
function makeFocusable() {
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "Table");
  }
}
new MutationObserver(makeFocusable).observe(document.body, { childList: true, subtree: true });
makeFocusable();
