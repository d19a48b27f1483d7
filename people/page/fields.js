// Scripted fields of a form: sliders without a value before they are moved, completions, buttons.
import { offerCompletions } from "./completions.js";

function makeSlider(slider) {
  const given = slider.value;
  const output = slider.nextElementSibling;
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: slider.name });
  const answer = (text) => {
    field.value = text;
    slider.classList.toggle("unmoved", !text);
    if (output) output.textContent = text ? `${text} ${output.dataset.unit}`.trim() : "–";
    const said = text ? output?.textContent : slider.dataset.unmoved;
    if (said) slider.setAttribute("aria-valuetext", said);
    else slider.removeAttribute("aria-valuetext");
  };
  slider.removeAttribute("name");
  slider.type = "range";
  if (!given && slider.dataset.start) slider.value = slider.dataset.start;
  answer(given);
  slider.parentElement.append(field);
  // One that is pressed where it stands was answered, too: then there is no input event.
  for (const event of ["input", "pointerup"]) slider.addEventListener(event, () => answer(slider.value));
  slider.addEventListener("keydown", ({ key }) => { if (key === " ") answer(slider.value); });
}

function makeCommand(input) {
  const templates = JSON.parse(input.dataset.templates);
  if (templates.length) input.after(offerCompletions(input, { templates, words: JSON.parse(input.dataset.words) }));
  for (const button of input.parentElement.querySelectorAll(".buttons button")) {
    button.addEventListener("click", () => {
      const { insert } = button.dataset;
      if (insert === undefined) { input.value = button.textContent; input.form.requestSubmit(); return; }
      // A beginning starts the line again; a word is added to it, in a mere list of words after a comma.
      const before = insert.endsWith(" ") ? "" : input.value.replace(/\S$/, templates[0] === "OBJ" ? "$&, " : "$& ");
      input.value = before + insert;
      input.focus();
      input.dispatchEvent(new Event("input"));
    });
  }
}

export function enhance(root) {
  root.querySelectorAll("input[data-unmoved]").forEach(makeSlider);
  root.querySelectorAll("input[data-templates]").forEach(makeCommand);
}
