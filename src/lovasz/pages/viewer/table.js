// The table of all nodes that pass the filters. Only the rows in sight are in the document.

const ROW_HEIGHT = 32;
const SPARE_ROWS = 6; // rows above and below those in sight

class NodeTable {
  constructor(graph, { go, save }) {
    Object.assign(this, { graph, go, rows: [], shown: new Uint8Array(graph.n).fill(1), key: null, down: false, pin: -1 });
    this.columns = this.listColumns();
    this.input = make("input", { type: "search", placeholder: "Search the table", "aria-label": "Search the table", autocomplete: "off", spellcheck: "false", oninput: () => this.refresh() });
    this.count = make("span", { class: "lv-soft", role: "status" });
    this.heads = this.columns.map((column, k) => make("th", { scope: "col", class: column.number ? "n" : null, "aria-sort": "none" },
      make("button", { type: "button", text: column.name, onclick: () => this.sort(k) })));
    this.body = make("tbody");
    this.table = make("table", { "aria-label": "Nodes" }, make("thead", {}, make("tr", { "aria-rowindex": 1 }, ...this.heads)), this.body);
    this.scroll = make("div", { class: "lv-rows", tabindex: 0, role: "region", "aria-label": "Table of nodes", onscroll: () => this.render() }, this.table);
    this.element = make("section", { class: "lv-table" },
      make("div", { class: "lv-bar" }, make("h4", { text: "Nodes" }), this.input, make("button", { type: "button", text: "Save as CSV", onclick: () => save(Array.from(this.rows)) }), this.count), this.scroll);
    this.refresh();
  }

  listColumns() {
    const { graph } = this, { words } = graph;
    const byName = new Intl.Collator("en", { numeric: true }).compare;
    const columns = [{ name: "node", compare: (a, b) => byName(graph.name(a), graph.name(b)), cell: (row) => make("button", { type: "button", class: "lv-link", onclick: () => this.go(row) }, nameText(graph.name(row), 60)) }];
    if (graph.classes.length) columns.push({ name: words.class, compare: (a, b) => graph.labels[a] - graph.labels[b], cell: (row) => classText(graph, graph.labels[row], graph.given && !graph.given[row]), text: (row) => graph.className(row) });
    const numbers = (name, values, format) => columns.push({ name, number: true, compare: (a, b) => values[a] - values[b], cell: (row) => make("span", { text: format(row) }) });
    if (graph.confidence) numbers(words.probability, graph.confidence, (row) => (graph.labels[row] < 0 ? "–" : percent(graph.confidence[row])));
    if (graph.runnerUp) columns.push({ name: "runner-up", compare: (a, b) => graph.runnerUp[a] - graph.runnerUp[b], cell: (row) => classText(graph, graph.runnerUp[row], true) });
    if (graph.given) columns.push({ name: words.kind, compare: (a, b) => graph.given[a] - graph.given[b], cell: (row) => make("span", { text: graph.given[row] ? words.given : words.predicted }) });
    numbers("neighbours", graph.degrees, (row) => graph.degrees[row].toLocaleString("en"));
    return columns;
  }

  setShown(shown) {
    this.shown = shown;
    this.refresh();
  }

  sort(k, down = this.key === k ? !this.down : Boolean(this.columns[k].number)) {
    this.down = down;
    this.key = k;
    this.heads.forEach((head, other) => head.setAttribute("aria-sort", other !== k ? "none" : this.down ? "descending" : "ascending"));
    this.refresh();
  }

  refresh() {
    const { graph } = this, wanted = this.input.value.trim().toLowerCase();
    let rows = [];
    for (let row = 0; row < graph.n; row++) if (this.shown[row]) rows.push(row);
    if (wanted) {
      const named = graph.classes.map((name) => name.toLowerCase().includes(wanted));
      rows = rows.filter((row) => (graph.labels[row] >= 0 && named[graph.labels[row]]) || graph.name(row).toLowerCase().includes(wanted));
    }
    if (this.key !== null) {
      const { compare } = this.columns[this.key], sign = this.down ? -1 : 1;
      rows.sort((a, b) => sign * compare(a, b) || a - b);
    }
    this.rows = rows;
    this.table.setAttribute("aria-rowcount", rows.length + 1);
    this.count.textContent = plural(rows.length, "row");
    this.scroll.scrollTop = 0;
    this.render(true);
  }

  render(force) {
    const height = this.scroll.clientHeight || 320, total = this.rows.length;
    const first = Math.max(0, Math.min(total, Math.floor(this.scroll.scrollTop / ROW_HEIGHT) - SPARE_ROWS));
    const last = Math.min(total, first + Math.ceil(height / ROW_HEIGHT) + 2 * SPARE_ROWS);
    if (!force && this.range && this.range[0] === first && this.range[1] === last) return;
    this.range = [first, last];
    const spacer = (count) => {
      const cell = make("td", { colspan: this.columns.length });
      cell.style.height = `${count * ROW_HEIGHT}px`;
      return make("tr", { class: "lv-spacer", "aria-hidden": "true" }, cell);
    };
    const lines = [];
    for (let k = first; k < last; k++) {
      const row = this.rows[k];
      lines.push(make("tr", { "aria-rowindex": k + 2, class: row === this.pin ? "lv-pinned" : null }, ...this.columns.map((column) => make("td", { class: column.number ? "n" : null }, column.cell(row)))));
    }
    const focused = this.body.contains(document.activeElement) ? document.activeElement.closest("tr").getAttribute("aria-rowindex") : null;
    this.body.replaceChildren(spacer(first), ...lines, spacer(total - last));
    if (focused) this.body.querySelector(`tr[aria-rowindex="${focused}"] button`)?.focus({ preventScroll: true });
  }

  setPin(row) {
    this.pin = row;
    this.render(true);
  }
}
