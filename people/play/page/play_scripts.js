// Scripts mode: still images, and a text that is sent as a whole.
import { $, show, state } from "./play_stage.js";
import { send } from "./play_wire.js";
import { t } from "./play_words.js";

export function startScripts(trial) {
  document.querySelector(".scripts").hidden = false;
  $("canvas").hidden = true;
  $("instructions").textContent = trial.instructions;
  $("log").replaceChildren();
  trial.turns.forEach(addTurn);
  show("running");
  $("script").focus({ preventScroll: true });
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function thumbnail(src, alt) {
  const button = element("button", { type: "button", className: "thumb" }, element("img", { src, alt }));
  button.addEventListener("click", () => enlarge(src, button));
  return button;
}

function enlarge(source, button) {
  $("still").hidden = false;
  $("still").src = source;
  for (const other of document.querySelectorAll(".thumb")) other.setAttribute("aria-pressed", other === button);
}

export function addTurn({ text, images, script, error, steps }) {
  if (script != null) addToLog(script, error, steps, [...$("pictures").querySelectorAll("img")].map((image) => image.src));
  $("step").textContent = t("Turn {n}", { n: $("log").children.length + 1 });
  $("words").textContent = text;
  $("pictures").replaceChildren(...images.map((source, place) => thumbnail(source, t("Picture {n} of {count}", { n: place + 1, count: images.length }))));
  if (images.length) enlarge(images.at(-1), $("pictures").lastElementChild);
  $("error").hidden = error == null;
  $("error").textContent = error ?? "";
  if (error == null) $("script").value = "";
  $("send").disabled = false;
}

function addToLog(script, error, steps, before) {
  const note = error == null ? t("{n} steps", { n: steps }) : `${t("This is not a valid script.")} ${error}`;
  $("log").prepend(element("li", {},
    element("div", { className: "shots" }, ...before.map((source) => thumbnail(source, t("Picture before this script")))),
    element("div", {}, element("code", { textContent: script }), element("p", { textContent: note }))));
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if ($("send").disabled || document.body.dataset.mode !== "scripts" || state() !== "running") return;
  $("send").disabled = true;
  send("script", { text: $("script").value });
});
$("script").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("form").requestSubmit();
});
$("give-up").addEventListener("click", () => { if (state() === "running") send("stop"); });
