// The page of `arena-llm play`: sends keys, shows images.
import { $, beep, draw, number, pictureSide, show, showImage, showState, state, tooSmall } from "./play_stage.js";
import { connect, reconnectLater, send, setTrial } from "./play_wire.js";
import { t } from "./play_words.js";

// A tap shorter than one step (60 ms) still counts as one step.
const MIN_TAP_MS = 70;
const REPLACED = 4001;
const FINAL_CODES = [1003, 1008, 1009, 1011, REPLACED];

const KEYS = {
  ArrowUp: "forward", KeyW: "forward", ArrowDown: "backward", KeyS: "backward",
  ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right",
};
const PAUSES = {
  key: "Take your time. The game is paused.",
  hidden: "You switched to another window. The game is paused.",
  connection: "The connection was too slow for a moment. The game is paused.",
  stall: "The computer could not keep up for a moment. The game is paused.",
  worker: "There was a technical problem. Nothing is lost. The game is paused.",
  small: "The window has become too small. The game is paused.",
  reconnected: "The game was paused while you were away.",
};
// After these the game has continued unseen, so the player may look around first.
const UNSEEN = ["connection", "stall", "worker"];
// After this time without an answer the card says that the start takes a moment.
const SLOW_START_MS = 500;
const CHECK_KEYS_MS = 400;

// Keys and buttons that drive, and those that started the game and count only after they are released.
const held = new Map(), starters = new Set();
let trial, action = 0, view = 0, input = matchMedia("(pointer: coarse)").matches ? "touch" : "keys";
let starting = false, smallIsFine = false, startCard = () => {};

// The card.

const touch = () => matchMedia("(any-pointer: coarse)").matches;
const stopButton = () => (trial?.may_stop ? [["Stop this task", () => send("stop")]] : []);
const sentences = (...texts) => texts.filter(Boolean).join(" ");
const lightsOut = () => trial.lights_out && t("The lights go out in this task. They are meant to.");

// Show the card of a game that waits for its start; it is shown again when the window changes its size.
function showStartable(card) {
  starting = false;
  startCard = card;
  if (tooSmall() && !smallIsFine) showTooSmall(); else card();
}

function showTooSmall() {
  const fixed = matchMedia("(pointer: coarse)").matches;
  show(startCard === showReady ? "ready" : "paused", {
    title: fixed ? "Your screen is small" : "Your window is too small",
    text: fixed ? "If you can, turn it or use a larger one." : "Please make it larger so that you can see the picture well.",
    actions: fixed ? [["Play anyway", () => { smallIsFine = true; showStartable(startCard); }]] : [],
  });
}

function showReady() {
  show("ready", {
    icon: "play", title: "Ready?", look: true,
    text: sentences(t("Find the green and yellow balls. Stay away from anything red."), lightsOut()),
    hint: touch() ? "Hold the arrow buttons to drive and turn." : "Press any arrow key, or Enter, to start. Press again to drive.",
    actions: [["Start", start]],
  });
}

function showCheck() {
  show("ready", {
    icon: "play", title: trial.title, actions: [["Start", start]],
    text: t("Please watch for {n} seconds. The game drives by itself, to see whether the pictures come fast enough.", { n: trial.check_s }),
  });
}

// Left, and left and forward, in turn: each changes the picture.
setInterval(() => { if (trial?.check_s && state() === "running") send("keys", { action: action = action === 2 ? 5 : 2 }); }, CHECK_KEYS_MS);

function showPaused({ reason, left_s }) {
  show("paused", {
    icon: "pause", title: "Paused", text: PAUSES[reason] ?? PAUSES.key, look: UNSEEN.includes(reason), hint: continueHint(left_s),
    actions: [["Continue", start], ...stopButton()],
  });
}

function showResumed() {
  show("paused", {
    icon: "play", title: "Welcome back", text: sentences(t("You will carry on where you left off."), lightsOut()),
    hint: continueHint(trial.left_s), actions: [["Continue", start], ...stopButton()],
  });
}

const continueHint = (left_s) => sentences(
  !touch() && t("Press any arrow key, or P, to continue."),
  left_s != null && t("You can pause this task for {n} more seconds.", { n: Math.ceil(left_s) }),
);

function showEnd({ passed, text, reward, steps, pass_mark, waited }) {
  release();
  $("step").textContent = t("Step {n}", { n: steps });
  const last = trial.check_s || (trial.count && trial.position + 1 === trial.count);
  const judged = trial.feedback && passed !== null;
  const hints = reward == null ? [] : [t("Your score: {score}.", { score: number(reward) })];
  if (hints.length && pass_mark != null && !passed) hints.push(t("You needed at least {score}.", { score: number(pass_mark) }));
  if (waited) hints.push(t("The time that was left counts as standing still."));
  show("end", {
    icon: judged ? (passed ? "pass" : "fail") : "done",
    title: judged ? (passed ? "Well done!" : "Not this time") : trial.check_s ? trial.title : "Task finished",
    text,
    hint: hints.join(" "),
    actions: [[last ? "Continue" : "Next task", () => { show("connecting", { title: "One moment …" }); send("next"); }]],
  });
  if (judged) beep(passed ? [523, 659, 784] : [330, 262], 0.16);
}

function showClosed(code, reason) {
  release();
  starting = false;
  trial = undefined;
  $("link").dataset.grade = 0;
  $("link-text").textContent = t("Not connected");
  if (code === REPLACED) {
    show("closed", { title: "Opened in another window", text: "You can play in only one window at a time.",
      actions: [["Play here", () => location.assign("")]] });
  } else if (FINAL_CODES.includes(code)) {
    show("closed", { title: "The connection was closed", text: reason, actions: [["Reload", () => location.assign("/")]] });
  } else {
    show("lost", { title: "Connection lost", text: "Your game is saved. You can carry on once you are back online.", hint: "Trying again …" });
    reconnectLater(connection);
  }
}

function showFull({ before }) {
  $("link-text").textContent = t("Waiting");
  show("waiting", {
    title: "All places are taken", hint: t("People before you: {n}", { n: before }),
    text: "The game opens by itself as soon as a place is free. Please keep this page open.",
  });
}

const handlers = {
  waiting: showFull,
  trial(message) {
    trial = message;
    setTrial(trial.trial);
    view = 0;
    $("place").textContent = trial.count ? t("Task {n} of {count}", { n: trial.position + 1, count: trial.count }) : "";
    $("title").textContent = trial.title || "Animal-AI arena";
    document.body.dataset.feedback = trial.feedback ? "yes" : "no";
    document.body.dataset.stars = trial.stars ? "yes" : "no";
    document.body.dataset.palette = trial.palette;
    $("reward-label").textContent = t(trial.stars ? "Stars" : "Reward");
    $("view").hidden = trial.views.length < 2;
    $("step").textContent = t("Step {n}", { n: trial.step });
    const asked = trial.instructions;
    $("question").hidden = !asked;
    $("question").querySelector("p").textContent = asked;
    showStartable(trial.check_s ? showCheck : trial.step > 0 ? showResumed : showReady);
  },
  state(message) { showState(message, trial); },
  running() {
    starting = false;
    show("running");
    action = -1;
    sendKeys();
    if (document.hidden) pause("hidden");
  },
  paused(message) { release(); showStartable(() => showPaused(message)); },
  ping({ ping }) { send("pong", { ping }); },
  end: showEnd,
  failed({ reason }) {
    show("failed", { icon: "fail", title: "This task cannot be played", text: reason,
      actions: [["Next task", () => send("next")]] });
  },
  over({ next_page }) {
    if (next_page) location.assign(next_page);
    else show("over", { icon: "done", title: "That's it!", text: "Thank you for playing. You can close this page." });
  },
};

// Keys and buttons.

// The clock starts when the server says so: once the page has shown the newest picture.
function start() {
  if (!["ready", "paused"].includes(state()) || starting || (tooSmall() && !smallIsFine)) return;
  starting = true;
  send("start", { viewport: [innerWidth, innerHeight], pixel_ratio: devicePixelRatio, picture: pictureSide(), input });
  setTimeout(() => { if (starting) $("card-hint").textContent = t("One moment …"); }, SLOW_START_MS);
}

function pause(reason) {
  if (state() !== "running" && !starting) return;
  send("pause", { reason });
  if (starting) showStartable(startCard);
}

function sendKeys() {
  const branch = (first, second) => (held.has(first) === held.has(second) ? 0 : held.has(first) ? 1 : 2);
  const now = 3 * branch("forward", "backward") + branch("right", "left");
  if (now !== action && state() === "running") { action = now; send("keys", { action }); }
}

const button = (direction) => document.querySelector(`[data-key=${direction}]`);

function press(direction) {
  if (starters.has(direction)) return;
  if (held.has(direction)) { clearTimeout(held.get(direction).timer); held.get(direction).timer = 0; return; }
  if (state() !== "running" && !starting) { starters.add(direction); start(); return; }
  held.set(direction, { since: performance.now(), timer: 0 });
  button(direction).classList.add("held");
  sendKeys();
}

function letGo(direction) {
  starters.delete(direction);
  const key = held.get(direction);
  if (!key) return;
  const left = key.since + MIN_TAP_MS - performance.now();
  if (left > 0) { clearTimeout(key.timer); key.timer = setTimeout(() => letGo(direction), left); return; }
  held.delete(direction);
  button(direction).classList.remove("held");
  sendKeys();
}

function release() {
  for (const [direction, { timer }] of held) { clearTimeout(timer); button(direction).classList.remove("held"); }
  held.clear();
}

addEventListener("keydown", (event) => {
  if (event.target.closest("summary") || event.ctrlKey || event.metaKey || event.altKey || !trial) return;
  const direction = KEYS[event.code];
  if (direction) event.preventDefault();
  if (event.repeat) return;
  input = "keys";
  if (direction) press(direction);
  if (event.code === "KeyP") togglePause();
  if (event.code === "Escape") pause("key");
  if (event.code === "KeyV") changeView();
});
addEventListener("keyup", (event) => { if (KEYS[event.code]) letGo(KEYS[event.code]); });
addEventListener("pointerdown", ({ pointerType }) => { if (pointerType !== "mouse") input = "touch"; });
addEventListener("blur", () => { release(); starters.clear(); sendKeys(); pause("hidden"); });
document.addEventListener("visibilitychange", () => { if (document.hidden) { release(); pause("hidden"); } });
addEventListener("resize", () => {
  draw();
  if (!trial) return;
  if (state() === "running" && tooSmall() && !smallIsFine) pause("small");
  if (["ready", "paused"].includes(state()) && !starting) showStartable(startCard);
});

for (const pad of document.querySelectorAll("[data-key]")) {
  pad.addEventListener("pointerdown", (event) => { pad.setPointerCapture(event.pointerId); press(pad.dataset.key); });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) pad.addEventListener(end, () => letGo(pad.dataset.key));
  pad.addEventListener("contextmenu", (event) => event.preventDefault());
}

// A gamepad: the cross or the left stick drives and turns, any other button starts, continues and pauses.

const DIRECTIONS = { forward: [12, 1, -1], backward: [13, 1, 1], left: [14, 0, -1], right: [15, 0, 1] };
const STICK = 0.5;
const padHeld = new Set();
let padPressed = false;

function readGamepads() {
  const pads = navigator.getGamepads().filter(Boolean);
  const on = (pad, number) => pad.buttons[number]?.pressed;
  for (const [direction, [number, axis, sign]] of Object.entries(DIRECTIONS)) {
    const now = pads.some((pad) => on(pad, number) || sign * (pad.axes[axis] ?? 0) > STICK);
    if (now === padHeld.has(direction)) continue;
    if (now) { input = "gamepad"; padHeld.add(direction); press(direction); } else { padHeld.delete(direction); letGo(direction); }
  }
  const pressed = pads.some((pad) => pad.buttons.some(({ pressed }, number) => pressed && (number < 12 || number > 15)));
  if (pressed && !padPressed) {
    input = "gamepad";
    if (["end", "failed"].includes(state())) $("card-actions").firstElementChild?.click(); else togglePause();
  }
  padPressed = pressed;
  if (pads.length) requestAnimationFrame(readGamepads); else watching = false;
}

// Browsers hide gamepads until one of their buttons is pressed.
let watching = false;
addEventListener("gamepadconnected", () => {
  if (!watching) { watching = true; requestAnimationFrame(readGamepads); }
});

function changeView() {
  if (!trial || trial.views.length < 2) return;
  view = (view + 1) % trial.views.length;
  send("view", { view: trial.views[view] });
}
const togglePause = () => (state() === "running" ? pause("key") : start());
$("view").addEventListener("click", changeView);
$("pause").addEventListener("click", togglePause);

const connection = {
  onMessage: (message) => handlers[message.type]?.(message),
  onImage: (data, shown) => { if (trial) showImage(data, shown); },
  onClose: showClosed,
};
connect(connection);
