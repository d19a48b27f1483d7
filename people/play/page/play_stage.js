// Display of the page: the card over the arena, the meters, the images, and the sounds.
import { spoken, t } from "./play_words.js";
import { canSpeak, say } from "./speech.js";

const HEADER_BYTES = 20;
// Time without a new picture after which the page says that it is late. On the slowest line one comes every 300 ms.
const LATE_MS = 500;
// Smaller than the smallest picture that is sent (256 pixels) it would lose details that others see.
const MIN_SIDE = 256;
const FLASH_MS = 1300;

const EVENTS = {
  "good goal": "Ball", "bad goal": "Red ball", "decoy goal": "Fake ball", "death zone": "Red zone",
  "hot zone": "Hot zone: you lose health", "button pressed": "Button", "reward granted": "Reward",
};
const ICONS = {
  play: "M8 5v14l11-7z", pause: "M8 5v14M16 5v14", pass: "M4 12.5 9.5 18 20 6.5", fail: "M6 6l12 12M18 6 6 18",
  wait: "M12 7v5l3 3M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", done: "M5 21V4h13l-3 4.5L18 13H5",
};

export const $ = (id) => document.getElementById(id);
export const state = () => document.body.dataset.state;
let waiting, decoding = false, bitmap, shownAt = 0, audio, flashing;

// `look`: the picture is to be looked at, so the card is next to it.
export function show(next, { icon = "wait", title = "", text = "", hint = "", actions = [], look = false } = {}) {
  document.body.dataset.state = next;
  document.body.toggleAttribute("data-look", look);
  $("question").open = next !== "running";
  $("pause").disabled = !["running", "paused"].includes(next);
  shownAt = performance.now();
  if (next === "running") { document.activeElement?.blur(); return; }
  $("card").hidden = false;
  $("card-icon").innerHTML = `<svg viewBox="0 0 24 24"><path d="${ICONS[icon]}"/></svg>`;
  $("card-title").textContent = t(title);
  $("card-text").textContent = t(text);
  $("card-hint").textContent = t(hint);
  const listen = spoken && canSpeak ? [["Listen", () => say(`${t(title)}. ${t(text)} ${t(hint)}`)]] : [];
  $("card-actions").replaceChildren(...[...actions, ...(actions.length ? listen : [])].map(([label, run], place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = t(label);
    button.className = place ? "" : "primary";
    button.addEventListener("click", run);
    return button;
  }));
  $("card-actions").firstElementChild?.focus({ preventScroll: true });
}

export const number = (value) => value.toFixed(2).replace(/^-(0\.00)$/, "$1").replace("-", "−");

export function showState(message, trial) {
  $("step").textContent = t("Step {n}", { n: message.step });
  const [size, , interval] = message.level;
  const grade = interval > 1 ? 1 : size < 512 && !trial.fixed ? 2 : 3;
  $("link").dataset.grade = grade;
  $("link-text").textContent = t(["Connecting", "Connection weak", "Connection slow", "Connected"][grade]);
  if (!trial.feedback) return;
  showHealth(message.health);
  $("reward").textContent = trial.stars ? "★".repeat(message.balls) || "–" : number(message.reward);
  for (const [kind, reward] of message.events) flash(kind, reward, trial.stars);
}

function showHealth(value) {
  $("health-fill").style.width = `${value}%`;
  $("health-number").textContent = Math.ceil(value);
  $("health").setAttribute("aria-valuenow", Math.round(value));
  $("health").classList.toggle("low", value <= 25);
}

function flash(kind, reward, stars) {
  const text = EVENTS[kind];
  if (!text) return;
  const box = $("flash"), loss = reward < 0 || kind === "hot zone";
  const label = document.createElement("span");
  const gained = (loss ? "▼ " : reward > 0 ? "▲ +" : "") + (reward ? `${number(reward)} ` : "");
  label.textContent = (stars ? (kind === "good goal" ? "★ " : "") : gained) + t(text);
  box.className = loss ? "loss" : "gain";
  box.replaceChildren(label);
  clearTimeout(flashing);
  flashing = setTimeout(() => { box.className = ""; box.replaceChildren(); }, FLASH_MS);
  beep(loss ? [220] : [660, 880], 0.12);
}

// Images: only the newest is shown, and `shown` is called with its number.

export async function showImage(newest, onShown) {
  waiting = { data: newest, shown: onShown };
  if (decoding) return;
  decoding = true;
  while (waiting) {
    const { data, shown } = waiting;
    waiting = undefined;
    const image = await createImageBitmap(new Blob([new Uint8Array(data, HEADER_BYTES)], { type: "image/jpeg" }));
    bitmap?.close();
    bitmap = image;
    draw();
    shownAt = performance.now();
    shown(new DataView(data).getUint32(0, true));
  }
  decoding = false;
}

export const pictureSide = () => Math.round($("stage").clientWidth);
export const tooSmall = () => pictureSide() < MIN_SIDE;

setInterval(() => {
  const late = state() === "running" && performance.now() - shownAt > LATE_MS;
  if (late === $("late").hidden) $("late").hidden = !late;
}, 100);

export function draw() {
  const canvas = $("canvas"), side = Math.round(pictureSide() * devicePixelRatio) || 512;
  if (canvas.width !== side) canvas.width = canvas.height = side;
  if (!bitmap) return;
  const context = canvas.getContext("2d", { alpha: false });
  context.imageSmoothingQuality = "high";
  context.drawImage(bitmap, 0, 0, side, side);
}

// Sound: off by default.

$("sound").addEventListener("click", () => {
  const on = $("sound").getAttribute("aria-pressed") !== "true";
  $("sound").setAttribute("aria-pressed", on);
  $("sound").textContent = t(on ? "Sound: on" : "Sound: off");
  audio ??= new AudioContext();
  if (on) { audio.resume(); beep([660], 0.1); }
});

export function beep(tones, seconds) {
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
