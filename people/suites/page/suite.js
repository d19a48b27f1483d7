// Plays any suite: shows texts and pictures, makes the form that the server describes, sends what is entered.
import { offerCompletions } from "./completions.js";

const $ = (id) => document.getElementById(id);
let task = { trial: null, turns: [], fields: [] };

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Each kind of field: how it is made, and what it holds; `old` is what it held in the turn before.
const kinds = {
  text: {
    make(field) {
      const tag = field.lines > 1 ? "textarea" : "input";
      const input = element(tag, { id: `field-${field.name}`, required: true, maxLength: field.longest, autocomplete: "off" });
      if (field.lines > 1) input.rows = field.lines;
      const list = field.lines === 1 && field.templates.length ? [offerCompletions(input, field)] : [];
      const line = element("div", { className: "text" }, element("label", { htmlFor: input.id, textContent: field.label }), input, ...list);
      const buttons = field.buttons.map((text) => {
        const button = element("button", { type: "button", id: `${input.id} ${text}`, textContent: text });
        button.addEventListener("click", () => { input.value = text; $("form").requestSubmit(); });
        return button;
      });
      return element("div", {}, line, element("div", { className: "buttons" }, ...buttons));
    },
    value: (made) => made.querySelector("input, textarea").value,
  },
  number: {
    make(field, old) {
      const { low, high, step } = field;
      const middle = low + step * Math.round((high - low) / 2 / step);
      const input = element("input", { type: "range", id: `field-${field.name}`, min: low, max: high, step });
      input.value = old ?? field.start ?? middle;
      const output = element("output", { htmlFor: input.id });
      const show = () => {
        const { untouched } = input.dataset;
        output.textContent = untouched ? "–" : field.unit ? `${input.value} ${field.unit}` : input.value;
        input.setAttribute("aria-valuetext", untouched ? "not answered yet" : output.textContent);
      };
      // Where a slider stands by itself is no answer: it becomes one by a move, or by a click where it stands.
      if (old === undefined || old === null) input.dataset.untouched = "yes";
      for (const kind of ["input", "pointerdown"]) input.addEventListener(kind, () => { delete input.dataset.untouched; show(); });
      show();
      return element("label", { className: "slider" }, element("span", { textContent: field.label }), input, output);
    },
    value: (made) => (made.querySelector("[data-untouched]") ? null : Number(made.querySelector("input").value)),
  },
  choice: {
    make: (field, old) => group(field, "radio", field.options, (option) => option === old),
    value: (made, field) => field.options[checked(made)[0]],
  },
  several: {
    make: (field, old = []) => group(field, "checkbox", field.items.map((item) => item.label), (_, place) => old.includes(place)),
    value: (made) => checked(made),
  },
};

const boxes = (made) => [...made.querySelectorAll("input")];
const checked = (made) => boxes(made).flatMap((box, place) => (box.checked ? [place] : []));

function group(field, type, labels, isChosen) {
  const rows = labels.map((label, place) => {
    const input = element("input", { type, name: field.name, required: type === "radio", checked: isChosen(label, place) });
    return element("label", { className: "option" }, input, element("span", { textContent: label }));
  });
  return element("fieldset", {}, element("legend", { textContent: field.label }), ...rows);
}

const made = new Map();
const entered = () => Object.fromEntries(task.fields.map((field) => [field.name, kinds[field.kind].value(made.get(field.name), field)]));

function showForm(fields) {
  const [old, focused] = [entered(), document.activeElement.id];
  made.clear();
  for (const field of fields) made.set(field.name, kinds[field.kind].make(field, field.kind === "text" ? undefined : old[field.name]));
  task.fields = fields;
  $("fields").replaceChildren(...made.values());
  // What has the focus keeps it; a new page, "Send" and "Next task" pass it to a line of text, to play by typing only.
  const line = ["", "send", "next"].includes(focused) && $("fields").querySelector("input:not([type])");
  (line || $(focused))?.focus();
}

function parts(turn, number) {
  return turn.parts.map((part) => part.text !== undefined
    ? element("p", { className: "part", textContent: part.text })
    : element("div", { className: "picture" }, element("img", { src: part.image, alt: `Picture of turn ${number}` })));
}

// A click on an item in the last picture is a click on its box in the form.
function addSpots() {
  const picture = [...$("now").querySelectorAll(".picture")].at(-1);
  for (const field of picture ? task.fields.filter((each) => each.kind === "several") : []) {
    field.items.forEach(({ label, box }, place) => {
      if (!box) return;
      const input = boxes(made.get(field.name))[place];
      const spot = element("button", { type: "button", className: "spot", title: label, tabIndex: -1 });
      spot.setAttribute("aria-label", label);
      const [left, top, right, bottom] = box;
      const edges = { left, top, width: right - left, height: bottom - top };
      for (const [name, share] of Object.entries(edges)) spot.style[name] = `${100 * share}%`;
      const mark = () => spot.setAttribute("aria-pressed", input.checked);
      spot.addEventListener("click", () => { input.checked = !input.checked; mark(); });
      input.addEventListener("change", mark);
      mark();
      picture.append(spot);
    });
  }
}

function showEnd(end, mayStop) {
  $("end").hidden = !end;
  $("form").hidden = Boolean(end);
  $("stop").hidden = Boolean(end) || !mayStop;
  if (!end) return;
  const score = end.score === null ? "" : `Your score: ${Number(end.score.toFixed(3))}.`;
  $("verdict").textContent = end.passed === null ? "That's it!" : end.passed ? "Well done!" : "Not this time.";
  $("summary").textContent = [end.text, score].filter(Boolean).join("\n");
  $("next").focus();
}

function show(state) {
  const same = state.trial === task.trial;
  if (!same) { task = { trial: state.trial, turns: [], fields: [] }; made.clear(); }
  task.turns = [...task.turns.slice(0, state.known), ...state.turns];
  document.title = state.title;
  $("title").textContent = state.title;
  $("place").textContent = state.place;
  $("help").hidden = !state.help;
  $("instructions").textContent = state.help;
  $("intro").textContent = state.intro;
  const last = task.turns.length - 1;
  // With the last reply an episode may show nothing more.
  $("now").replaceChildren(...parts(task.turns[last], last + 1));
  showEnd(state.end, state.may_stop);
  showForm(state.fields);
  addSpots();
  $("log").replaceChildren(...task.turns.slice(1).map((turn, place) => element("li", {},
    ...parts(task.turns[place], place + 1), element("p", {}, "You: ", element("code", { textContent: turn.reply })))).reverse());
  document.body.dataset.state = state.end ? "end" : "ready";
  document.body.dataset.turn = last;
}

function complain(text) {
  $("error").hidden = !text;
  $("error").textContent = text;
}

async function ask(address, values) {
  if (document.body.dataset.state === "busy") return;
  const before = document.body.dataset.state;
  document.body.dataset.state = "busy";
  complain("");
  try {
    const sent = values && { method: "POST", body: new URLSearchParams({ trial: task.trial, ...values }) };
    const response = await fetch(`/suite/${address}`, sent);
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.detail ?? "The server could not play this. Please reload the page.");
    if (answer.page) location.assign(answer.page);
    else show(answer);
  } catch (error) {
    document.body.dataset.state = before;
    complain(error instanceof TypeError ? "No connection. What you sent before is saved. Please try again." : error.message);
  }
}

$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const values = entered();
  const open = task.fields.find((field) => field.kind === "number" && values[field.name] === null);
  if (open) {
    complain(`${open.label}: not answered yet. Move the slider, or click it where it stands.`);
    made.get(open.name).querySelector("input").focus();
    return;
  }
  ask("reply", { turn: task.turns.length - 1, entered: JSON.stringify(values) });
});
$("stop").addEventListener("click", () => ask("stop", {}));
$("next").addEventListener("click", () => ask("next", {}));
ask("state");
