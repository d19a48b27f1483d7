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

// The server alone decides which items are asked; without an answer from it the page stays as it is.
for (const form of document.querySelectorAll("form:has([data-asked])")) {
  const dependent = [...form.querySelectorAll("[data-asked]")];
  let [newest, timer] = [0, 0];
  const ask = async () => {
    const mine = ++newest;
    const response = await fetch("/asked", { method: "POST", body: new URLSearchParams(new FormData(form)) }).catch(() => null);
    const asked = response?.ok && await response.json();
    if (asked && mine === newest) for (const item of dependent) item.hidden = !asked.includes(item.dataset.item);
  };
  const changed = ({ target }) => {
    if (!target.closest("[data-decisive]")) return;
    clearTimeout(timer);
    timer = setTimeout(ask, target.matches("[type=radio], [type=checkbox]") ? 0 : 200);
  };
  for (const event of ["input", "pointerup", "keyup"]) form.addEventListener(event, changed);
  for (const item of dependent) item.hidden = item.dataset.asked === "False";
}
