// Everything on the page can be read without this script. It opens what a link leads to, and sorts tables.
const folds = [...document.querySelectorAll("details")];

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  const own = target.querySelector(":scope > details");
  if (own) own.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();

const toggle = document.querySelector("#open-all");
toggle.hidden = folds.length === 0;
toggle.addEventListener("click", () => {
  const opens = toggle.getAttribute("aria-pressed") !== "true";
  for (const fold of folds) fold.open = opens;
  toggle.setAttribute("aria-pressed", String(opens));
});

// Older browsers print only what is open.
let shut = [];
addEventListener("beforeprint", () => {
  shut = folds.filter((fold) => !fold.open);
  for (const fold of shut) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of shut) fold.open = false;
});

function keyOf(row, column) {
  const text = row.cells[column].innerText.trim();
  const number = text.replaceAll(",", "").replace("−", "-").match(/-?(\d+\.?\d*|\.\d+)/);
  return { text, number: number ? Number(number[0]) : null };
}

function sort(table, heading) {
  const column = heading.cellIndex;
  const way = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", way === 1 ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: keyOf(row, column) }));
  const isNumeric = heading.classList.contains("num");
  rows.sort((a, b) => {
    // Missing numbers stay at the end, whichever way the table is sorted.
    if (isNumeric && (a.key.number === null || b.key.number === null))
      return (a.key.number === null) - (b.key.number === null);
    return way * (isNumeric ? a.key.number - b.key.number : a.key.text.localeCompare(b.key.text, undefined, { numeric: true }));
  });
  table.tBodies[0].append(...rows.map(({ row }) => row));
}

for (const table of document.querySelectorAll("table")) {
  // The findings of the first screen stay in the order of the plan.
  if (!table.tHead || table.tBodies[0].rows.length < 2 || table.closest(".glance")) continue;
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(table, heading));
    heading.append(button);
  }
}
