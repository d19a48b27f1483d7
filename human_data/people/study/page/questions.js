// Sliders of a questionnaire, and items that depend on others. Without this script sliders are numbers to enter,
// and all items are shown; the server ignores the answers to those that are not asked.

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

const rank = (text) => (/^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : text ? Number(text.replace(",", ".")) : NaN);
const plain = (text) => text.trim().toLowerCase();
const same = (one, other) => plain(one) === plain(other) || rank(one) === rank(other);

function fits(answer, { values, least, most }) {
  if (values.length) return values.some((value) => same(answer, value));
  return (least == null || rank(answer) >= rank(least)) && (most == null || rank(answer) <= rank(most));
}

for (const form of document.querySelectorAll("form:has([data-if])")) {
  const dependent = [...form.querySelectorAll("[data-if]")];
  const update = () => dependent.forEach((item) => {
    const rules = Object.entries(JSON.parse(item.dataset.if));
    // Fields of hidden items are disabled, so that the form is without them.
    const answers = new FormData(form);
    const given = (id) => [...answers.getAll(`item-${id}`), ...answers.getAll(`item-${id}[]`)].filter(Boolean);
    item.hidden = !rules.every(([id, accepted]) => given(id).some((answer) => fits(answer, accepted)));
    for (const field of item.querySelectorAll("input, textarea")) field.disabled = item.hidden;
  });
  for (const event of ["input", "pointerup", "keyup"]) form.addEventListener(event, () => setTimeout(update));
  update();
}
