// Functions that create elements, and the parts of pages: panels, tables, switches. Text from files becomes text nodes.
// No code here or elsewhere parses a string as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined) continue;
    else if (typeof value === "boolean" && !name.startsWith("aria-")) element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element: h("button", {class: "plain", onclick: act}, "Close"). */
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/** An SVG element. */
export const s = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

/** Set a text only if it differs, so that screen readers do not repeat it and a selection of it stays. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A sentence with `commands` formatted as code. */
export function prose(text) {
  return text.split("`").map((piece, i) => (i % 2 ? h("code", {}, piece) : piece));
}

/** Show or hide an element, if necessary. */
export function show(element, visible) {
  if (element.hidden === visible) element.hidden = !visible;
}

/** A button that is on or off. */
export function toggle(label, pressed, onchange, attributes = {}) {
  const button = h("button", { type: "button", class: "toggle", "aria-pressed": pressed, ...attributes }, label);
  button.addEventListener("click", () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", on);
    onchange(on);
  });
  return button;
}

/** A select field for [[value, label], …] with numbers as values; its label is its parent. */
export function choice(name, options, chosen, changed) {
  const field = h("select", { "aria-label": name }, ...options.map(([value, label]) => h("option", { value }, label)));
  field.value = chosen;
  field.addEventListener("change", () => changed(Number(field.value)));
  h("label", { class: "choice" }, `${name} `, field);
  return field;
}

/** A table with its headings that scrolls sideways if necessary: [element, its empty body]. */
export function plainTable(label, headings) {
  const body = h("tbody");
  const head = h("thead", {}, h("tr", {}, ...headings.map((name) => h("th", { scope: "col" }, name))));
  const place = { class: "scroll", tabindex: 0, role: "region", "aria-label": label };
  return [h("div", place, h("table", {}, head, body)), body];
}

/** A heading of a column that sorts by it; `wanted` is {column, descending}, and `falling` the first direction. */
export function sortHead({ name, label, numeric }, wanted, changed, falling = false) {
  const arrow = h("span", { class: "arrow", "aria-hidden": "true" });
  const sort = () => {
    wanted.descending = wanted.column === name ? !wanted.descending : falling;
    wanted.column = name;
    changed();
  };
  const button = h("button", { type: "button", onclick: sort, title: `Sort by ${name}` }, label, arrow);
  const cell = h("th", { scope: "col", class: numeric ? "number" : "" }, button);
  const refresh = () => {
    const on = wanted.column === name;
    cell.setAttribute("aria-sort", on ? (wanted.descending ? "descending" : "ascending") : "none");
    say(arrow, on ? (wanted.descending ? " ▾" : " ▴") : "");
  };
  return { cell, refresh };
}

/** The controls of a filter: a field for words and a switch for each state. `wanted` is {text, states}, `offer(states)`
 *  shows the switches of those that occur or are off. */
export function filterControls(states, wanted, changed, about, look = () => "") {
  const search = h("input", { type: "search", size: 24, ...about });
  search.addEventListener("input", () => {
    wanted.text = search.value;
    changed();
  });
  const switches = states.map((state) => {
    const change = (pressed) => {
      wanted.states[pressed ? "add" : "delete"](state);
      changed();
    };
    return toggle(state, true, change, { class: `toggle filter ${look(state)}` });
  });
  const offer = (found) => {
    const there = new Set(found);
    switches.forEach((button, i) => show(button, there.has(states[i]) || !wanted.states.has(states[i])));
  };
  return { controls: [search, ...switches], offer };
}

/** The signs of the states of a study, in the order of a list: what needs attention first. */
export const SIGNS = { loading: "◌", running: "●", damaged: "▲", gone: "✕", quiet: "○", empty: "□" };

const MEANINGS = {
  loading: "the file is being read",
  running: "it has changed in the last minute, or a process has it open for writing",
  damaged: "a part of the file cannot be read",
  gone: "the file was deleted or moved",
  quiet: "nothing has changed for a minute, and no process is known to write it: the run has ended or was interrupted",
  empty: "there is no trial yet",
};

/** The state of a study: a sign, a word and a colour, with its meaning as a tip. */
export function stateBadge(state) {
  const sign = h("span", { "aria-hidden": "true" }, `${SIGNS[state] ?? "?"} `);
  return h("span", { class: `badge study-${state}`, title: MEANINGS[state] }, sign, state);
}

let counted = 0;

/** A section with a heading, controls beside it and a body. */
export function panel(title, { wide = "", controls = [], note = "" } = {}, ...body) {
  const id = `panel-${++counted}`;
  const heading = h("h2", { id }, title);
  return h(
    "section",
    { class: `panel ${wide}`, "aria-labelledby": id },
    h("div", { class: "panel-head" }, heading, h("div", { class: "controls" }, ...controls)),
    note ? h("p", { class: "note" }, note) : null,
    ...body,
  );
}

/** `act`, soon after it is called, but using at most a quarter of the time: a run with fast evaluations has news many
 *  times in a second, and drawing thousands of trials takes a while. */
export function paced(act) {
  let [timer, due] = [null, 0];
  return () => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      const begun = performance.now();
      timer = null;
      act();
      due = performance.now() + 3 * (performance.now() - begun);
    }, Math.max(0, due - performance.now()));
  };
}

/** `act`, at most once in a frame however often it is called. */
export function once(act) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      act();
    });
  };
}
