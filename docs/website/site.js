// Wide tables scroll sideways. Keyboards reach only what can have the focus, so their frames get it.
const frames = document.querySelectorAll(".md-typeset__scrollwrap");
for (const frame of frames) {
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Table");
}
