// Sliders of a questionnaire. Without this script they are numbers to enter.

for (const slider of document.querySelectorAll(".slider input")) {
  const field = Object.assign(document.createElement("input"), { type: "hidden", name: slider.name });
  const answer = (text) => {
    field.value = text;
    slider.classList.toggle("unmoved", !text);
    if (text) slider.removeAttribute("aria-valuetext");
    else slider.setAttribute("aria-valuetext", slider.dataset.unmoved);
  };
  answer(slider.value);
  slider.removeAttribute("name");
  slider.type = "range";
  slider.after(field);
  // One that is pressed where it stands was answered, too: then there is no input event.
  for (const event of ["input", "pointerup"]) slider.addEventListener(event, () => answer(slider.value));
  slider.addEventListener("keydown", ({ key }) => { if (key === " ") answer(slider.value); });
}
