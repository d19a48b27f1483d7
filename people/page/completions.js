// Offers completions of a command while it is typed: a listbox below a field of one line.
const WORD = "OBJ";
const WORDS = new RegExp(`\\b(${WORD})\\b`);
const LIMIT = 20;

// Continuations of the typed text by the templates: up to and with the next OBJ and the text after it, or only
// up to that OBJ if this would be more than LIMIT.
export function completions(typed, templates, words) {
  const start = typed.trimStart().replace(/\s+/g, " ").toLowerCase();
  const matching = (fillNext) => {
    const found = new Set();
    const extend = (done, [piece, ...rest]) => {
      for (const next of piece === WORD ? words : [piece]) {
        const text = done + next;
        if (start.startsWith(text.toLowerCase())) { if (rest.length) extend(text, rest); }
        else if (text.toLowerCase().startsWith(start)) offer(text, piece, rest);
      }
    };
    const offer = (text, piece, [next, following]) => {
      if (piece === WORD) found.add(text + next);
      else if (next && fillNext) for (const word of words) found.add(text + word + following);
      else found.add(text);
    };
    // Texts and words alternate; the last piece is a text, maybe empty.
    for (const template of templates) extend("", template.split(WORDS));
    return [...found];
  };
  const filled = matching(true);
  return (filled.length > LIMIT ? matching(false) : filled).slice(0, LIMIT);
}

// Down and Up choose, Enter or a click takes the selection, Escape closes; Enter sends without a selection.
export function offerCompletions(input, { templates, words }) {
  const list = Object.assign(document.createElement("ul"), { className: "completions", id: `${input.id}-list`, hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Completions");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-controls", list.id);
  Object.assign(input, { spellcheck: false, autocapitalize: "none" });
  let chosen = -1;
  const choose = (place) => {
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = place;
    const option = list.children[chosen];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", option?.id ?? "");
  };
  const show = (texts) => {
    list.replaceChildren(...texts.map((textContent, place) => {
      const option = Object.assign(document.createElement("li"), { textContent, id: `${list.id}-${place}`, role: "option" });
      option.addEventListener("click", () => take(textContent));
      return option;
    }));
    list.hidden = !texts.length;
    input.setAttribute("aria-expanded", !list.hidden);
    choose(-1);
  };
  const refresh = () => show(completions(input.value, templates, words));
  const take = (text) => { input.value = text; refresh(); };
  const keys = {
    ArrowDown: () => { if (list.hidden) refresh(); choose(Math.min(chosen + 1, list.children.length - 1)); },
    ArrowUp: () => choose(Math.max(chosen - 1, -1)),
    Escape: () => show([]),
    Enter: () => take(list.children[chosen].textContent),
  };
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || !keys[event.key] || (event.key === "Enter" && chosen < 0)) return;
    event.preventDefault();
    keys[event.key]();
  });
  input.addEventListener("input", () => (input.value ? refresh() : show([])));
  input.addEventListener("blur", () => show([]));
  // A click must not take the focus from the field, which would close the list.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  show([]);
  return list;
}
