// Items that depend on others. Without this script all items are shown; the server ignores the answers to those that
// are not asked.
import { enhance } from "./fields.js";

enhance(document);

// The server alone decides which items are asked; without an answer from it the page stays as it is.
for (const form of document.querySelectorAll("form:has([data-asked])")) {
  const dependent = [...form.querySelectorAll("[data-asked]")];
  let [newest, timer] = [0, 0];
  const ask = async () => {
    const mine = ++newest;
    const response = await fetch("/asked", { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => null);
    const asked = response?.ok && await response.json();
    if (asked && mine === newest) for (const item of dependent) item.hidden = !asked.includes(item.dataset.item);
  };
  const changed = ({ target }) => {
    if (!target.closest("[data-decisive]")) return;
    clearTimeout(timer);
    timer = setTimeout(ask, target.matches("[type=radio], [type=checkbox]") ? 0 : 200);
  };
  for (const event of ["input", "pointerup", "keyup"]) form.addEventListener(event, changed);
  for (const item of dependent) item.hidden = item.dataset.asked === "False";
  // Answers given before this script was loaded.
  ask();
}

// For children one question is shown at a time; the button leads to the next one, and sends the form at the last.
function hasAnswer(item) {
  return [...item.querySelectorAll("[name]")].some((field) => (/radio|checkbox/.test(field.type) ? field.checked : field.value));
}

function complain(item, text) {
  if (item.querySelector(".problem")) return;
  const problem = Object.assign(document.createElement("p"), { className: "problem", textContent: text });
  problem.setAttribute("role", "alert");
  item.append(problem);
}

for (const form of document.querySelectorAll("form[data-missing]")) {
  const items = [...form.querySelectorAll(".item")];
  const show = (now) => { for (const item of items) item.classList.toggle("later", item !== now); };
  show(items.find((item) => item.matches(".wrong")) ?? items.find((item) => !item.hidden));
  form.querySelector(".actions button").addEventListener("click", (event) => {
    const now = items.findIndex((item) => !item.matches(".later"));
    const next = items.slice(now + 1).find((item) => !item.hidden);
    const missing = "required" in items[now].dataset && !hasAnswer(items[now]);
    if (missing || next) event.preventDefault();
    if (missing) complain(items[now], form.dataset.missing);
    else if (next) { show(next); next.querySelector("input, textarea").focus(); }
  });
}
