// The page of `arena-llm play`: keys out, pictures in.
import { addTurn, beginScripts } from "./play_scripts.js";
import { $, beep, draw, number, show, showState, state, take } from "./play_stage.js";
import { connect, connectLater, say, speakOf } from "./play_wire.js";
import { t } from "./play_words.js";

// A tap shorter than one step (60 ms) still counts for one.
const SHORTEST_TAP_MS = 70;
const FINAL_CODES = { 1003: true, 1008: true, 1009: true, 1011: true, 4001: true };

const KEYS = {
  ArrowUp: "forward", KeyW: "forward", ArrowDown: "backward", KeyS: "backward",
  ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right",
};
const WAITING = {
  key: "Take your time. The clock stands still.",
  hidden: "The page was not in front, so the clock stands still.",
  connection: "The connection was too slow for a moment, so the clock stands still.",
  stall: "The computer was busy for a moment, so the clock stands still.",
  reconnected: "The clock stood still while you were away.",
};

const held = new Map();
let trial, action = 0, view = 0;

// What is on the card.

const touch = () => matchMedia("(any-pointer: coarse), (max-width: 700px)").matches;
const stopping = () => (trial?.may_stop ? [["Stop this task", () => say("stop")]] : []);

function showReady() {
  const resumed = trial.step > 0;
  show(resumed ? "paused" : "ready", {
    icon: "play", title: resumed ? "Welcome back" : trial.title || "Ready?",
    text: resumed ? "You go on exactly where you were." : "Find the green and yellow balls. Keep away from red.",
    hint: touch() ? "Hold the buttons below to drive and turn." : "Press any arrow key, or Enter, to start.",
    actions: [[resumed ? "Go on" : "Start", start], ...(resumed ? stopping() : [])],
  });
}

function showPaused(reason) {
  release();
  show("paused", {
    icon: "pause", title: "Paused", text: WAITING[reason] ?? WAITING.key,
    hint: touch() ? "" : "Press any arrow key, or P, to go on.", actions: [["Go on", start], ...stopping()],
  });
}

function showEnd({ passed, words, reward, steps, pass_mark }) {
  release();
  if (trial.mode === "keys") $("step").textContent = t("Step {n}", { n: steps });
  const last = trial.count && trial.position + 1 === trial.count;
  const told = trial.feedback && passed !== null;
  const needed = pass_mark != null && passed === false ? ` ${t("You needed {reward}.", { reward: number(pass_mark) })}` : "";
  show("end", {
    icon: told ? (passed ? "pass" : "fail") : "done",
    title: told ? (passed ? "Well done!" : "Not this time") : "Task finished",
    text: words,
    hint: reward == null ? "" : t("Reward {reward} in {steps} steps.", { reward: number(reward), steps }) + needed,
    actions: [[last ? "Continue" : "Next task", () => { show("connecting", { title: "One moment …" }); say("next"); }]],
  });
  if (told) beep(passed ? [523, 659, 784] : [330, 262], 0.16);
}

// The connection.

function lose(code, reason) {
  release();
  trial = undefined;
  $("link").dataset.grade = 0;
  $("link-text").textContent = t("Not connected");
  if (FINAL_CODES[code]) {
    const elsewhere = code === 4001;
    show("closed", {
      icon: "wait", title: elsewhere ? "Opened in another window" : "The connection was closed",
      text: elsewhere ? "You can play in one window at a time." : `The server says: ${reason || "no reason"}.`,
      actions: [[elsewhere ? "Play here" : "Load again", () => location.assign(elsewhere ? "" : "/")]],
    });
    return;
  }
  show("lost", {
    title: "Connection lost", text: "Your episode waits on the server. It goes on as soon as the connection is back.",
    hint: "Trying again …",
  });
  connectLater(ears);
}

const heard = {
  trial(message) {
    trial = message;
    speakOf(trial.trial);
    view = 0;
    document.body.dataset.mode = trial.mode;
    $("place").textContent = trial.count ? t("Task {n} of {count}", { n: trial.position + 1, count: trial.count }) : "";
    $("title").textContent = trial.title || "Animal-AI arena";
    document.querySelector(".reward").hidden = !trial.feedback;
    $("view").hidden = trial.views.length < 2 || trial.mode === "scripts";
    if (trial.mode === "keys") $("step").textContent = t("Step {n}", { n: trial.step });
    if (trial.mode === "scripts") beginScripts(trial); else showReady();
  },
  state(message) { showState(message, trial); },
  running() { show("running"); action = -1; tell(); },
  paused({ reason }) { showPaused(reason); },
  ping({ ping }) { say("pong", { ping }); },
  told({ told }) { for (const turn of told) addTurn(turn); },
  end: showEnd,
  failed({ reason }) {
    show("failed", { icon: "fail", title: "This task cannot be played", text: reason,
      actions: [["Next task", () => say("next")]] });
  },
  over({ after }) {
    if (after) { location.assign(after); return; }
    show("over", { icon: "done", title: "That was all", text: "Thank you for playing. You can close this page." });
  },
};
const hear = (message) => heard[message.type]?.(message);

// Keys and buttons.

const start = () => { if (["ready", "paused"].includes(state())) say("start"); };
const pause = (reason) => { if (state() === "running") say("pause", { reason }); };

function tell() {
  const is = (direction) => held.has(direction);
  const move = is("forward") === is("backward") ? 0 : is("forward") ? 1 : 2;
  const turn = is("left") === is("right") ? 0 : is("right") ? 1 : 2;
  const now = 3 * move + turn;
  if (now !== action && state() === "running") { action = now; say("keys", { action }); }
}

function press(direction) {
  if (held.has(direction)) { clearTimeout(held.get(direction).timer); held.get(direction).timer = 0; return; }
  held.set(direction, { since: performance.now(), timer: 0 });
  document.querySelector(`[data-key=${direction}]`).classList.add("held");
  if (state() === "running") tell(); else start();
}

function let_go(direction) {
  const press = held.get(direction);
  if (!press) return;
  const left = press.since + SHORTEST_TAP_MS - performance.now();
  if (left > 0) { clearTimeout(press.timer); press.timer = setTimeout(() => let_go(direction), left); return; }
  held.delete(direction);
  document.querySelector(`[data-key=${direction}]`).classList.remove("held");
  tell();
}

function release() {
  for (const { timer } of held.values()) clearTimeout(timer);
  held.clear();
  for (const button of document.querySelectorAll(".held")) button.classList.remove("held");
}

const typing = ({ target }) => target.closest("textarea, input, summary");

addEventListener("keydown", (event) => {
  if (typing(event) || event.ctrlKey || event.metaKey || event.altKey || trial?.mode !== "keys") return;
  const direction = KEYS[event.code];
  if (direction) { event.preventDefault(); if (!event.repeat) press(direction); return; }
  if (event.repeat) return;
  if (event.code === "Escape" || event.code === "KeyP") { if (state() === "running") pause("key"); else if (event.code === "KeyP") start(); }
  if (event.code === "KeyV") changeView();
});
addEventListener("keyup", (event) => { if (KEYS[event.code]) let_go(KEYS[event.code]); });
addEventListener("blur", () => { release(); tell(); pause("hidden"); });
document.addEventListener("visibilitychange", () => { if (document.hidden) { release(); pause("hidden"); } });
addEventListener("resize", draw);

for (const button of document.querySelectorAll("[data-key]")) {
  button.addEventListener("pointerdown", (event) => { button.setPointerCapture(event.pointerId); press(button.dataset.key); });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(end, () => let_go(button.dataset.key));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
}

function changeView() {
  if (!trial || trial.views.length < 2) return;
  view = (view + 1) % trial.views.length;
  say("view", { view: trial.views[view] });
}
$("view").addEventListener("click", changeView);
$("pause").addEventListener("click", () => (state() === "running" ? pause("key") : start()));

const ears = { hear, lose, see: (data, shown) => { if (trial) take(data, shown); } };
connect(ears);
