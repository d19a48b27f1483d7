// The page of `arena-llm play`: keys out, pictures in. The messages are those of messages.py.
const PROTOCOL = 1;
const HEADER_BYTES = 20;
// A tap shorter than one step (60 ms) still counts for one.
const SHORTEST_TAP_MS = 70;
const FLASH_MS = 1300;
const FINAL_CODES = { 1003: true, 1008: true, 1009: true, 1011: true, 4001: true };

const KEYS = {
  ArrowUp: "forward", KeyW: "forward", ArrowDown: "backward", KeyS: "backward",
  ArrowLeft: "left", KeyA: "left", ArrowRight: "right", KeyD: "right",
};
const EVENTS = {
  "good goal": "Ball", "bad goal": "Red ball", "decoy goal": "Decoy", "death zone": "Red zone",
  "hot zone": "Hot zone: you lose health", "button pressed": "Button", "reward granted": "Reward",
};
const WAITING = {
  key: "Take your time. The clock stands still.",
  hidden: "The page was not in front, so the clock stands still.",
  connection: "The connection was too slow for a moment, so the clock stands still.",
  stall: "The computer was busy for a moment, so the clock stands still.",
  reconnected: "The clock stood still while you were away.",
};
const ICONS = {
  play: "M8 5v14l11-7z", pause: "M8 5v14M16 5v14", pass: "M4 12.5 9.5 18 20 6.5", fail: "M6 6l12 12M18 6 6 18",
  wait: "M12 7v5l3 3M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", done: "M5 21V4h13l-3 4.5L18 13H5",
};

// What stands there in English may be said in other words: /play.words has those that the server was given.
const PHRASES = await fetch("/play.words").then((answer) => answer.json()).catch(() => ({}));
const t = (text, values = {}) => Object.entries(values).reduce(
  (told, [name, value]) => told.replaceAll(`{${name}}`, value), PHRASES[text] ?? text);

const $ = (id) => document.getElementById(id);
const held = new Map();
let socket, sent, trial, state = "connecting", waits = 500, action = 0, view = 0, final = false;
let health = 100, waitingFrame, decoding = false, bitmap, audio, flashing;

// What the page shows.

function show(next, { icon = "wait", title = "", text = "", hint = "", actions = [] } = {}) {
  state = document.body.dataset.state = next;
  $("pause").disabled = !["running", "paused"].includes(next);
  if (next === "running") { document.activeElement?.blur(); return; }
  $("card").hidden = false;
  $("card-icon").innerHTML = `<svg viewBox="0 0 24 24"><path d="${ICONS[icon]}"/></svg>`;
  $("card-title").textContent = t(title);
  $("card-text").textContent = t(text);
  $("card-hint").textContent = t(hint);
  $("card-actions").replaceChildren(...actions.map(([label, run], place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = t(label);
    button.className = place ? "" : "primary";
    button.addEventListener("click", run);
    return button;
  }));
  $("card-actions").firstElementChild?.focus({ preventScroll: true });
}

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

const number = (value) => value.toFixed(2).replace(/^-(0\.00)$/, "$1").replace("-", "−");

function showState(message) {
  if (trial.mode === "keys") $("step").textContent = t("Step {n}", { n: message.step });
  showHealth(message.health);
  if (trial.feedback) $("reward").textContent = number(message.reward);
  const [size, , every] = message.grade;
  const grade = every > 1 ? 1 : size < 512 ? 2 : 3;
  $("link").dataset.grade = grade;
  $("link-text").textContent = t(["Connecting", "Connection weak", "Connection slow", "Connected"][grade]);
  for (const [kind, reward] of message.events) flash(kind, reward);
}

function showHealth(value) {
  health = value;
  $("health-fill").style.width = `${value}%`;
  $("health-number").textContent = Math.ceil(value);
  $("health").setAttribute("aria-valuenow", Math.round(value));
  $("health").classList.toggle("low", value <= 25);
}

function flash(kind, reward) {
  const words = EVENTS[kind];
  if (!words || !trial.feedback) return;
  const box = $("flash"), loss = reward < 0 || kind === "hot zone";
  const label = document.createElement("span");
  label.textContent = (loss ? "▼ " : reward > 0 ? "▲ +" : "") + (reward ? `${number(reward)} ` : "") + t(words);
  box.className = loss ? "loss" : "gain";
  box.replaceChildren(label);
  clearTimeout(flashing);
  flashing = setTimeout(() => { box.className = ""; box.replaceChildren(); }, FLASH_MS);
  beep(loss ? [220] : [660, 880], 0.12);
}

// Pictures: only the newest is shown, and what is shown is acknowledged.

async function take(buffer) {
  waitingFrame = buffer;
  if (decoding) return;
  decoding = true;
  while (waitingFrame) {
    const data = waitingFrame, from = socket;
    waitingFrame = undefined;
    const picture = await createImageBitmap(new Blob([new Uint8Array(data, HEADER_BYTES)], { type: "image/jpeg" }));
    bitmap?.close();
    bitmap = picture;
    draw();
    if (socket === from) say("ack", { frame: new DataView(data).getUint32(0, true) });
  }
  decoding = false;
}

function draw() {
  const canvas = $("canvas"), side = Math.round(canvas.clientWidth * devicePixelRatio) || 512;
  if (canvas.width !== side) canvas.width = canvas.height = side;
  if (!bitmap) return;
  const context = canvas.getContext("2d", { alpha: false });
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, side, side);
}

// The connection.

function say(type, values = {}) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const about = ["hello", "pong", "ack"].includes(type) ? {} : { trial: trial.trial };
  socket.send(JSON.stringify({ type, n: ++sent, ...about, ...values }));
}

function connect() {
  sent = 0;
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play/socket`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => { waits = 500; say("hello", { protocol: PROTOCOL }); };
  socket.onmessage = ({ data }) => (typeof data === "string" ? hear(JSON.parse(data)) : trial && take(data));
  socket.onclose = ({ code, reason }) => lose(code, reason);
}

function lose(code, reason) {
  release();
  trial = undefined;
  $("link").dataset.grade = 0;
  $("link-text").textContent = t("Not connected");
  if (FINAL_CODES[code]) {
    final = true;
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
  setTimeout(connect, waits);
  waits = Math.min(2 * waits, 5000);
}

const heard = {
  trial(message) {
    trial = message;
    view = 0;
    document.body.dataset.mode = trial.mode;
    $("place").textContent = trial.count ? t("Task {n} of {count}", { n: trial.position + 1, count: trial.count }) : "";
    $("title").textContent = trial.title || "Animal-AI arena";
    document.querySelector(".reward").hidden = !trial.feedback;
    $("view").hidden = trial.views.length < 2 || trial.mode === "scripts";
    if (trial.mode === "scripts") beginScripts(); else showReady();
  },
  state: showState,
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

const start = () => { if (["ready", "paused"].includes(state)) say("start"); };
const pause = (reason) => { if (state === "running") say("pause", { reason }); };

function tell() {
  const is = (direction) => held.has(direction);
  const move = is("forward") === is("backward") ? 0 : is("forward") ? 1 : 2;
  const turn = is("left") === is("right") ? 0 : is("right") ? 1 : 2;
  const now = 3 * move + turn;
  if (now !== action && state === "running") { action = now; say("keys", { action }); }
}

function press(direction) {
  if (held.has(direction)) { clearTimeout(held.get(direction).timer); held.get(direction).timer = 0; return; }
  held.set(direction, { since: performance.now(), timer: 0 });
  document.querySelector(`[data-key=${direction}]`).classList.add("held");
  if (state === "running") tell(); else start();
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
  if (event.code === "Escape" || event.code === "KeyP") { if (state === "running") pause("key"); else if (event.code === "KeyP") start(); }
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
$("pause").addEventListener("click", () => (state === "running" ? pause("key") : start()));

// Sound: off until asked for.

$("sound").addEventListener("click", () => {
  const on = $("sound").getAttribute("aria-pressed") !== "true";
  $("sound").setAttribute("aria-pressed", on);
  $("sound").textContent = t(on ? "Sound on" : "Sound off");
  audio ??= new AudioContext();
  if (on) { audio.resume(); beep([660], 0.1); }
});

function beep(tones, seconds) {
  if ($("sound").getAttribute("aria-pressed") !== "true") return;
  tones.forEach((hertz, place) => {
    const tone = new OscillatorNode(audio, { frequency: hertz }), loud = new GainNode(audio, { gain: 0 });
    const begins = audio.currentTime + place * seconds;
    loud.gain.setValueAtTime(0, begins);
    loud.gain.linearRampToValueAtTime(0.12, begins + 0.015);
    loud.gain.linearRampToValueAtTime(0, begins + seconds);
    tone.connect(loud).connect(audio.destination);
    tone.start(begins);
    tone.stop(begins + seconds);
  });
}

// Scripts: still pictures, and a text that is sent as a whole.

function beginScripts() {
  document.querySelector(".scripts").hidden = false;
  $("canvas").hidden = true;
  $("instructions").textContent = trial.instructions;
  $("log").replaceChildren();
  for (const turn of trial.told) addTurn(turn);
  show("running");
  $("script").focus({ preventScroll: true });
}

function thumb(source, label, picked) {
  const button = document.createElement("button"), image = document.createElement("img");
  button.type = "button";
  button.className = "thumb";
  image.src = source;
  image.alt = label;
  button.append(image);
  button.addEventListener("click", () => look(source, button));
  if (picked) look(source, button);
  return button;
}

function look(source, button) {
  $("still").hidden = false;
  $("still").src = source;
  for (const other of document.querySelectorAll(".thumb")) other.setAttribute("aria-pressed", other === button);
}

function addTurn({ words, pictures, script, error, steps }) {
  if (script != null) addToLog(script, error, steps, [...$("pictures").querySelectorAll("img")].map((image) => image.src));
  $("step").textContent = t("Turn {n}", { n: $("log").children.length + 1 });
  $("words").textContent = words;
  $("pictures").replaceChildren();
  if (pictures.length) $("pictures").replaceChildren(...pictures.map((source, place) => thumb(source, `Picture ${place + 1} of ${pictures.length}`, false)));
  const last = $("pictures").lastElementChild;
  if (last) look(pictures.at(-1), last);
  $("error").hidden = error == null;
  $("error").textContent = error ?? "";
  if (error == null) $("script").value = "";
  $("send").disabled = false;
}

function addToLog(script, error, steps, before) {
  const item = document.createElement("li"), said = document.createElement("div"), shots = document.createElement("div");
  const code = document.createElement("code"), note = document.createElement("p");
  code.textContent = script;
  note.textContent = error == null ? `${steps} steps` : `Not a script. ${error}`;
  said.append(code, note);
  shots.className = "shots";
  shots.append(...before.map((source) => thumb(source, "Picture before this script", false)));
  item.append(shots, said);
  $("log").prepend(item);
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if ($("send").disabled || trial?.mode !== "scripts" || state !== "running") return;
  $("send").disabled = true;
  say("script", { text: $("script").value });
});
$("script").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("form").requestSubmit();
});
$("give-up").addEventListener("click", () => { if (state === "running") say("stop"); });

// What stands in the page from the start.
for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode();) {
  const node = walker.currentNode, text = node.data.trim();
  if (PHRASES[text]) node.data = node.data.replace(text, () => PHRASES[text]);
}
for (const node of document.querySelectorAll("[aria-label]")) node.ariaLabel = t(node.ariaLabel);
if (PHRASES.language) document.documentElement.lang = PHRASES.language;
$("step").textContent = t("Step {n}", { n: 0 });

connect();
