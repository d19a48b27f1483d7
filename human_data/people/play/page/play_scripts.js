// Scripts: still pictures, and a text that is sent as a whole.
import { $, show, state } from "./play_stage.js";
import { say } from "./play_wire.js";
import { t } from "./play_words.js";

export function beginScripts(trial) {
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

export function addTurn({ words, pictures, script, error, steps }) {
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
  if ($("send").disabled || document.body.dataset.mode !== "scripts" || state() !== "running") return;
  $("send").disabled = true;
  say("script", { text: $("script").value });
});
$("script").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("form").requestSubmit();
});
$("give-up").addEventListener("click", () => { if (state() === "running") say("stop"); });
