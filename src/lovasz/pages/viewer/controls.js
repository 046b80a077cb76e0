// The parts around the picture: search, filters, the card of a node, and the list of a selection.
// Everything is made with createElement and textContent, so that a name is never markup.

const LISTED_CLASSES = 100; // classes with a check box of their own
const LISTED_NEIGHBOURS = 16; // neighbours on a card before one asks for more
const LISTED_MATCHES = 8; // matches of a search
let serial = 0;

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "text") element.textContent = value;
    else if (key === "value" || key === "checked") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function drawing(path, properties = {}, box = "-6 -6 12 12") {
  const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg"), line = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", box);
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  for (const [key, value] of Object.entries(properties)) line.setAttribute(key, value);
  svg.append(line);
  return svg;
}

function chip(graph, code, hollow) {
  const color = graph.color(code) || "var(--lv-soft)";
  const svg = drawing(graph.raw.shapes[graph.shape(code)], hollow ? { fill: "none", stroke: color, "stroke-width": 1.6 } : { fill: color });
  svg.classList.add("lv-chip");
  return svg;
}

// A name: text in a direction of its own, in full when the pointer rests on it.
function nameText(text, length = 60) {
  const short = shorten(text, length);
  return make("bdi", { text: short, title: short === text ? null : text });
}

function classText(graph, code, hollow) {
  if (code < 0) return make("span", { text: "–" });
  return make("span", { class: "lv-class" }, chip(graph, code, hollow), nameText(graph.classes[code], 40));
}

function plural(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

class SearchBox {
  constructor(graph, choose) {
    const list = `lv-matches-${++serial}`;
    Object.assign(this, { graph, choose, rows: [], at: -1 });
    this.list = make("ul", { id: list, role: "listbox", class: "lv-matches", hidden: true, "aria-label": "Matching nodes" });
    this.input = make("input", {
      type: "search", role: "combobox", placeholder: "Find a node", "aria-label": "Find a node by name", "aria-expanded": "false",
      "aria-controls": list, "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
      oninput: () => this.search(), onkeydown: (event) => this.key(event), onblur: () => setTimeout(() => this.close(), 150),
    });
    this.element = make("div", { class: "lv-search" }, this.input, this.list);
  }

  search() {
    const text = this.input.value.trim();
    this.rows = text ? this.graph.search(text, LISTED_MATCHES) : [];
    this.at = this.rows.length ? 0 : -1;
    this.render(text);
  }

  render(text) {
    this.list.replaceChildren(...this.rows.map((row, k) => make("li", {
      role: "option", id: `${this.list.id}-${k}`, "aria-selected": String(k === this.at),
      onpointerdown: (event) => { event.preventDefault(); this.take(row); },
    }, chip(this.graph, this.graph.labels[row]), nameText(this.graph.name(row)))));
    if (text && !this.rows.length) this.list.append(make("li", { class: "lv-none", text: "no node has this name" }));
    this.list.hidden = !text;
    this.input.setAttribute("aria-expanded", String(Boolean(text)));
    if (this.at >= 0) this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.at}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.rows.length) {
      this.at = (this.at + step + this.rows.length) % this.rows.length;
      this.render(this.input.value.trim());
      event.preventDefault();
    } else if (event.key === "Enter" && this.at >= 0) {
      this.take(this.rows[this.at]);
      event.preventDefault();
    } else if (event.key === "Escape") this.close();
  }

  take(row) {
    this.close();
    this.choose(row);
  }

  close() {
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
  }
}

class FilterPanel {
  // A panel that takes the place of another one has the same settings.
  constructor(graph, changed, before) {
    const { hidden = new Set(), low = 0, high = 1, kind = "all" } = before || {};
    Object.assign(this, { graph, changed, hidden, low, high, kind });
    const parts = [];
    if (graph.classes.length) parts.push(this.classList());
    if (graph.given) parts.push(this.kinds());
    if (graph.confidence) parts.push(this.range());
    this.count = make("p", { class: "lv-count", role: "status" });
    this.element = make("details", { class: "lv-filters", open: before ? before.element.open : window.innerWidth > 700 }, make("summary", { text: "Filter" }), ...parts, this.count);
    if (!parts.length) this.element.hidden = true;
  }

  classList() {
    const { graph } = this, counts = new Uint32Array(graph.classes.length);
    for (const code of graph.labels) if (code >= 0) counts[code]++;
    const order = Array.from(counts.keys()).sort((a, b) => counts[b] - counts[a] || a - b);
    this.boxes = order.slice(0, LISTED_CLASSES).map((code) => {
      const box = make("input", { type: "checkbox", checked: !this.hidden.has(code), onchange: () => this.toggle([code], box.checked) });
      const label = make("label", {}, box, classText(graph, code), make("small", { text: counts[code].toLocaleString("en") }));
      return { codes: [code], box, label };
    });
    const rest = order.slice(LISTED_CLASSES);
    if (rest.length) {
      const box = make("input", { type: "checkbox", checked: !this.hidden.has(rest[0]), onchange: () => this.toggle(rest, box.checked) });
      this.boxes.push({ codes: rest, box, label: make("label", {}, box, make("span", { text: `${plural(rest.length, "smaller one")}` })) });
    }
    const all = (checked) => make("button", { type: "button", text: checked ? "all" : "none", onclick: () => {
      for (const { codes, box } of this.boxes) { box.checked = checked; this.toggle(codes, checked, false); }
      this.changed();
    } });
    const legend = make("legend", { text: graph.words.class });
    return make("fieldset", { class: "lv-classes" }, legend, make("div", { class: "lv-both" }, all(true), all(false)),
      make("div", { class: "lv-boxes" }, ...this.boxes.map(({ label }) => label)));
  }

  toggle(codes, checked, tell = true) {
    for (const code of codes) if (checked) this.hidden.delete(code); else this.hidden.add(code);
    if (tell) this.changed();
  }

  kinds() {
    const name = `lv-kind-${++serial}`, { words } = this.graph;
    const choice = (kind, text) => make("label", {},
      make("input", { type: "radio", name, checked: kind === this.kind, onchange: () => { this.kind = kind; this.changed(); } }), make("span", { text }));
    return make("fieldset", { class: "lv-kinds" }, make("legend", { text: words.kind }), choice("all", "all"), choice("given", words.given), choice("predicted", words.predicted));
  }

  range() {
    const { words } = this.graph, said = () => `${Math.round(100 * this.low)} – ${Math.round(100 * this.high)} %`, shown = make("output", { text: said() });
    const slider = (which, label) => make("input", { type: "range", min: 0, max: 100, step: 1, value: 100 * this[which], "aria-label": label, oninput: (event) => {
      this[which] = Number(event.target.value) / 100;
      if (this.low > this.high) { this[which] = which === "low" ? this.high : this.low; event.target.value = 100 * this[which]; }
      shown.textContent = said();
      this.changed();
    } });
    return make("fieldset", { class: "lv-range" }, make("legend", {}, make("span", { text: `${words.probability} ` }), shown),
      slider("low", `Lowest ${words.probability}, in percent`), slider("high", `Highest ${words.probability}, in percent`));
  }

  // One byte per node: whether it passes.
  apply() {
    const { graph, hidden, low, high, kind } = this, shown = new Uint8Array(graph.n);
    let count = 0;
    for (let row = 0; row < graph.n; row++) {
      const p = graph.confidence ? graph.confidence[row] : 0;
      shown[row] = !hidden.has(graph.labels[row]) && (!graph.confidence || (p >= low - 1e-4 && p <= high + 1e-4)) &&
        (kind === "all" || !graph.given || Boolean(graph.given[row]) === (kind === "given"));
      count += shown[row];
    }
    this.count.textContent = count === graph.n ? `All ${plural(graph.n, "node")}` : `${count.toLocaleString("en")} of ${plural(graph.n, "node")}`;
    return shown;
  }
}

// What is known of one node, its neighbours as links.
function nodeCard(graph, row, { go, close, select, selected }) {
  const facts = [];
  const fact = (name, ...value) => facts.push(make("dt", { text: name }), make("dd", {}, ...value));
  if (graph.labels[row] >= 0) fact(graph.words.class, classText(graph, graph.labels[row], graph.given && !graph.given[row]));
  if (graph.given && graph.labels[row] >= 0) fact(graph.words.kind, make("span", { text: graph.given[row] ? graph.words.given : graph.words.predicted }));
  if (graph.confidence && graph.labels[row] >= 0) fact(graph.words.probability, make("span", { text: percent(graph.confidence[row]) }));
  if (graph.runnerUp && graph.runnerUp[row] >= 0) {
    const share = graph.runnerUpConfidence ? ` ${percent(graph.runnerUpConfidence[row])}` : "";
    fact("runner-up", classText(graph, graph.runnerUp[row], true), make("span", { class: "lv-soft", text: share }));
  }
  const near = graph.neighbours(row), links = make("ul", { class: "lv-links" });
  const link = (other) => make("li", {}, make("button", { type: "button", onclick: () => go(other) }, chip(graph, graph.labels[other]), nameText(graph.name(other), 28)));
  links.append(...Array.from(near.subarray(0, LISTED_NEIGHBOURS), link));
  const more = near.length > LISTED_NEIGHBOURS && make("button", { type: "button", class: "lv-more", text: `${(near.length - LISTED_NEIGHBOURS).toLocaleString("en")} more`, onclick: () => {
    more.remove();
    links.append(...Array.from(near.subarray(LISTED_NEIGHBOURS, 1000), link));
  } });
  const lines = graph.cards.get(row) || [];
  return make("section", { class: "lv-card", "aria-label": "Pinned node" },
    make("header", {}, make("h4", {}, nameText(graph.name(row), 120)), make("button", { type: "button", class: "lv-close", "aria-label": "Close the card", text: "×", onclick: close })),
    make("dl", {}, ...facts),
    lines.length ? make("h5", { text: graph.words.why || "Why" }) : null, lines.length ? make("ul", { class: "lv-lines" }, ...lines.map((text) => make("li", {}, make("bdi", { text })))) : null,
    make("h5", { text: plural(near.length, "neighbour") }), links, more || null,
    make("button", { type: "button", text: selected ? "Take out of the list" : "Add to the list", onclick: select }));
}

// The list of selected nodes, which can be saved.
function selectionList(graph, rows, { go, clear, save }) {
  if (!rows.length) return null;
  const item = (row) => make("li", {}, make("button", { type: "button", onclick: () => go(row) }, chip(graph, graph.labels[row]), nameText(graph.name(row), 28)));
  const more = rows.length - LISTED_NEIGHBOURS;
  return make("section", { class: "lv-selection", "aria-label": "Selected nodes" },
    make("h4", { text: `${plural(rows.length, "node")} selected` }),
    make("div", { class: "lv-both" }, make("button", { type: "button", text: "Save as CSV", onclick: save }), make("button", { type: "button", text: "Clear", onclick: clear })),
    make("ul", { class: "lv-links" }, ...rows.slice(0, LISTED_NEIGHBOURS).map(item)), more > 0 ? make("p", { class: "lv-soft", text: `and ${more.toLocaleString("en")} more in the file` }) : null);
}

function nodesAsCsv(graph, rows) {
  const quote = (value) => (/[",\r\n]|^\s|\s$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const head = ["node", graph.words.class], columns = [(row) => graph.name(row), (row) => (graph.labels[row] < 0 ? "" : graph.className(row))];
  const add = (name, column) => { head.push(name); columns.push(column); };
  if (graph.confidence) add(graph.words.probability, (row) => graph.confidence[row].toFixed(4));
  if (graph.runnerUp) add("runner_up", (row) => (graph.runnerUp[row] < 0 ? "" : graph.classes[graph.runnerUp[row]]));
  if (graph.runnerUpConfidence) add("runner_up_probability", (row) => graph.runnerUpConfidence[row].toFixed(4));
  if (graph.given) add(graph.words.given, (row) => (graph.given[row] ? "yes" : "no"));
  return [head, ...rows.map((row) => columns.map((column) => column(row)))].map((line) => line.map(quote).join(",") + "\r\n").join("");
}
