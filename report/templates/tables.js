// A click on a heading sorts its table; a second click sorts the other way round.
function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = parseFloat(text);
  return /^[-+−]?[\d.]/.test(text) && !/^\d+-\d/.test(text) ? number : text;
}

function compare(a, b) {
  const numbers = (typeof a === "number") - (typeof b === "number");
  if (numbers) return -numbers;
  return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
}

function sort(heading) {
  const up = heading.getAttribute("aria-sort") !== "ascending";
  const body = heading.closest("table").tBodies[0];
  const column = heading.cellIndex;
  const rows = [...body.rows].sort((a, b) => (up ? 1 : -1) * compare(value(a, column), value(b, column)));
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  body.append(...rows);
}

for (const heading of document.querySelectorAll("table.sortable thead th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  button.addEventListener("click", () => sort(heading));
  heading.append(button);
}

// Folded parts: all at once, the one that a link names, and everything on paper.
function open(all, selector = "details") {
  for (const each of document.querySelectorAll(selector)) each.open = all;
}
for (const button of document.querySelectorAll("[data-open]")) {
  button.hidden = false;
  button.addEventListener("click", () => open(button.dataset.open === "all", "details.turn"));
}
function reveal() {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named && named.matches("details")) { named.open = true; named.scrollIntoView(); }
}
addEventListener("hashchange", reveal);
reveal();
addEventListener("beforeprint", () => open(true));
