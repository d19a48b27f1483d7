// Plays any suite: shows texts, pictures and the form that the server sends, and sends what is entered.
import { enhance } from "./fields.js";
import { spoken, t } from "./play_words.js";
import { canSpeak, say } from "./speech.js";

const $ = (id) => document.getElementById(id);
let task = { trial: null, turns: [] }, timer;

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function showForm(html) {
  const focused = document.activeElement.id;
  $("fields").innerHTML = html;
  enhance($("fields"));
  // The focused element keeps the focus; a new page, "Send" and "Next task" pass it to a line of text, to play by typing only.
  const line = ["", "send", "next"].includes(focused) && $("fields").querySelector("input[data-templates], textarea");
  (line || $(focused))?.focus();
}

function parts(turn, number) {
  return turn.parts.map((part) => part.text !== undefined
    ? element("p", { className: "part", textContent: part.text })
    : element("div", { className: "picture" }, element("img", { src: part.image, alt: t("Turn {n}", { n: number }) })));
}

// A click on an option in the last picture is a click on its box in the form.
function addSpots() {
  const picture = [...$("now").querySelectorAll(".picture")].at(-1), marks = [];
  $("fields").onchange = () => marks.forEach((mark) => mark());
  for (const input of picture ? $("fields").querySelectorAll("input[data-box]") : []) {
    const spot = element("button", { type: "button", className: "spot", title: input.value, tabIndex: -1 });
    spot.setAttribute("aria-label", input.value);
    const [left, top, right, bottom] = input.dataset.box.split(" ");
    const edges = { left, top, width: right - left, height: bottom - top };
    for (const [name, share] of Object.entries(edges)) spot.style[name] = `${100 * share}%`;
    const mark = () => spot.setAttribute("aria-pressed", input.checked);
    spot.addEventListener("click", () => input.click());
    mark();
    marks.push(mark);
    picture.append(spot);
  }
}

function showEnd(end, mayStop) {
  $("end").hidden = !end;
  $("form").hidden = Boolean(end);
  $("stop").hidden = Boolean(end) || !mayStop;
  if (!end) return;
  const score = end.score === null ? "" : t("Your score: {score}.", { score: Number(end.score.toFixed(3)) });
  $("verdict").textContent = t(end.passed === null ? "Task finished" : end.passed ? "Well done!" : "Not this time");
  $("summary").textContent = [t(end.why), end.text, score].filter(Boolean).join("\n");
  $("next").focus();
}

function show(state) {
  if (state.trial !== task.trial) task = { trial: state.trial, turns: [] };
  task.turns = [...task.turns.slice(0, state.known), ...state.turns];
  clearTimeout(timer);
  if (state.left_s !== null && !state.end) timer = setTimeout(() => ask("state"), 1000 * state.left_s + 100);
  document.title = $("title").textContent = state.title;
  $("place").textContent = state.count ? t("Task {n} of {count}", { n: state.position + 1, count: state.count }) : "";
  $("leave").hidden = !state.leave;
  $("leave").textContent = state.leave;
  $("help").hidden = !state.help;
  $("instructions").textContent = state.help;
  $("intro").textContent = state.intro;
  $("task").textContent = state.task;
  const last = task.turns.length - 1;
  // With the last reply an episode may show nothing more.
  $("now").replaceChildren(...parts(task.turns[last], last + 1));
  showEnd(state.end, state.may_stop);
  $("task").tabIndex = $("task").scrollHeight > $("task").clientHeight ? 0 : -1;
  showForm(state.fields);
  addSpots();
  $("log").replaceChildren(...task.turns.slice(1).map((turn, place) => element("li", {},
    ...parts(task.turns[place], place + 1), element("p", {}, t("Your answer"), element("b", { textContent: turn.said })))).reverse());
  document.body.dataset.palette = state.palette;
  document.body.dataset.state = state.end ? "end" : "ready";
  document.body.dataset.turn = last;
}

function complain(text) {
  $("error").hidden = !text;
  $("error").textContent = text;
}

async function ask(address, values) {
  if (document.body.dataset.state === "busy") return;
  const before = document.body.dataset.state;
  document.body.dataset.state = "busy";
  complain("");
  try {
    const sent = values && { method: "POST", body: new URLSearchParams([["trial", task.trial], ...values]) };
    const response = await fetch(`/suite/${address}`, sent);
    const answer = await response.json().catch(() => ({}));
    if (answer.open) $("fields").querySelector(`[data-item="${answer.open}"] :is(input, textarea)`)?.focus();
    if (!response.ok) throw new Error(t(answer.detail ?? "There was a technical problem. Please reload the page."));
    if (answer.page) location.assign(answer.page);
    else show(answer);
  } catch (error) {
    document.body.dataset.state = before;
    complain(error instanceof TypeError ? t("No connection. What you sent before is saved. Please try again.") : error.message);
  }
}

$("listen").hidden = !(spoken && canSpeak);
$("listen").addEventListener("click", () => say(`${$("now").innerText} ${$("form").innerText}`));
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("reply", [["turn", task.turns.length - 1], ...new FormData($("form"))]);
});
$("form").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("form").requestSubmit();
});
$("stop").addEventListener("click", () => ask("stop", []));
$("next").addEventListener("click", () => ask("next", []));
ask("state");
