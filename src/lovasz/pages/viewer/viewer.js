// The viewer: a canvas with what stands around it, and how it answers to mouse, touch and keys.

const PICK_PIXELS = 9; // how near to a node the pointer must be
const HELP = "Arrow keys move the picture, plus and minus zoom, 0 shows all. Shift with an arrow key goes to the next node in that direction, Enter pins it, Space puts it on the list, Escape lets go. The table below has the same nodes.";

class LovaszViewer {
  constructor(element, data, options = {}) {
    Object.assign(this, { element, options, camera: new Camera(), pointers: new Map(), selected: new Set(), hover: -1, pin: -1, cursor: -1, lassoing: false, scrolled: -1e9 });
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.build();
    this.load(data);
    this.listen();
    element.classList.add("lv-on");
    this.fitSize();
    this.camera.fit(this.graph.aspect, this.graph.n);
    this.painter.readTheme();
    this.table.render(true);
    this.draw();
  }

  build() {
    const help = `lv-help-${++serial}`, tool = (name, label, act, path) => make("button", { type: "button", class: `lv-tool lv-${name}`, "aria-label": label, title: label, onclick: act },
      drawing(path, { fill: "none", stroke: "currentColor", "stroke-width": 1.8, "stroke-linecap": "round", "stroke-linejoin": "round" }, "0 0 20 20"));
    this.canvas = make("canvas", { tabindex: 0, role: "application", "aria-roledescription": "graph", "aria-describedby": help });
    this.tip = make("div", { class: "lv-tip", hidden: true, "aria-hidden": "true" });
    this.note = make("p", { class: "lv-note" });
    this.live = make("p", { class: "lv-hidden", "aria-live": "polite" });
    this.lassoButton = tool("lasso", "Select nodes by drawing around them", () => this.setLasso(!this.lassoing), "M5 13c-2-1-3-3-2-5 1-3 5-4 8-4 4 0 7 2 6 5-1 4-6 5-9 5-2 0-4 1-3 3");
    this.lassoButton.setAttribute("aria-pressed", "false");
    this.tools = make("div", { class: "lv-tools", role: "group", "aria-label": "View" },
      tool("in", "Zoom in", () => this.zoomBy(1.5), "M10 4v12M4 10h12"), tool("out", "Zoom out", () => this.zoomBy(1 / 1.5), "M4 10h12"),
      tool("fit", "Show all", () => this.fit(), "M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4"), this.lassoButton);
    this.stage = make("div", { class: "lv-stage" }, this.canvas, this.tools, this.tip, this.note);
    this.hint = make("p", { class: "lv-hint", text: "Drag to move, scroll or pinch to zoom, click a node to pin it. The lasso, or shift and drag, selects." });
    this.find = make("div", { class: "lv-find" });
    this.side = make("div", { class: "lv-side" });
    this.panels = make("div", { class: "lv-panels" });
    this.below = make("div");
    this.frame = make("div", { class: "lv-frame" }, make("div", { class: "lv-main" }, make("div", {}, this.stage, this.hint), make("div", { class: "lv-aside" }, this.find, make("div", { class: "lv-scroll" }, this.side, this.panels))),
      this.below, make("p", { class: "lv-hidden", id: help, text: HELP }), this.live);
    this.element.append(this.frame);
    this.painter = new Painter(this.canvas, this.camera);
  }

  load(data) {
    this.graph = new GraphData(data);
    this.canvas.setAttribute("aria-label", `${data.title || "Graph"}: ${plural(this.graph.n, "node")}, ${plural(data.size ? data.size[1] : this.graph.m, "edge")}`);
    if (this.search) this.search.graph = this.graph;
    else this.search = new SearchBox(this.graph, (row) => this.focus(row));
    this.filters = new FilterPanel(this.graph, () => this.applyFilters(), this.filters);
    this.table = new NodeTable(this.graph, { go: (row) => this.focus(row), save: (rows) => this.save(rows, "nodes.csv") });
    if (!this.find.firstChild) this.find.append(this.search.element);
    this.panels.replaceChildren(this.filters.element);
    this.below.replaceChildren(this.table.element);
    this.applyFilters();
    this.renderSide();
  }

  // Show other data: all of it, or only the keys that changed. What a person has set stays.
  update(data) {
    const before = this.graph.n, old = this.table, { key, down } = old, top = old.scroll.scrollTop;
    const typing = document.activeElement === old.input;
    this.load({ ...this.graph.raw, ...data });
    if (this.graph.n !== before) {
      Object.assign(this, { pin: -1, hover: -1, cursor: -1 });
      this.selected.clear();
      this.camera.fit(this.graph.aspect, this.graph.n);
      this.renderSide();
    }
    Object.assign(this.table, { pin: this.pin });
    this.table.input.value = old.input.value;
    if (typing) this.table.input.focus();
    if (key !== null && key < this.table.columns.length) this.table.sort(key, down);
    else this.table.refresh();
    this.table.scroll.scrollTop = top;
  }

  applyFilters() {
    this.shown = this.filters.apply();
    this.table.setShown(this.shown);
    this.painter.dirty = true;
    this.draw();
  }

  draw() {
    if (this.pending || !this.shown) return;
    this.pending = requestAnimationFrame((now) => {
      this.pending = 0;
      const { graph, shown, selected, hover, pin, lasso } = this;
      this.painter.state = { graph, shown, selected, hover, pin, lasso, moving: this.pointers.size > 0 };
      const more = this.painter.frame(now);
      this.writeNote();
      if (more) this.draw();
    });
  }

  writeNote() {
    const { note } = this.painter, { size } = this.graph.raw, words = [];
    if (size && size[0] > this.graph.n) words.push(`${this.graph.n.toLocaleString("en")} of ${plural(size[0], "node")}`);
    if (size && size[1] && !this.graph.m && this.graph.n) words.push("too many edges for a page");
    else if (note && !note.edges) words.push("edges of one node at a time; zoom in for all");
    if (note && note.dense) words.push("colour is density");
    const text = words.join(" · ");
    if (this.note.textContent !== text) this.note.textContent = text;
  }

  listen() {
    const { canvas } = this, at = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    canvas.addEventListener("pointerdown", (event) => this.pointerDown(event, at(event)));
    canvas.addEventListener("pointermove", (event) => this.pointerMove(event, at(event)));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => this.pointerUp(event, at(event)));
    canvas.addEventListener("pointerleave", () => this.setHover(-1));
    canvas.addEventListener("wheel", (event) => this.wheel(event, at(event)), { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => { this.cursor = -1; this.setHover(-1); });
    document.addEventListener("scroll", () => { this.scrolled = performance.now(); }, { passive: true, capture: true });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.painter.readTheme(); this.draw(); });
    new ResizeObserver(() => { this.fitSize(); this.draw(); }).observe(this.stage);
  }

  fitSize() {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w || !h || (w === this.camera.w && h === this.camera.h)) return;
    this.camera.aspect = this.graph.aspect;
    this.camera.resize(w, h, this.graph.n);
    this.painter.resize(w, h);
  }

  pick(px, py) {
    const reach = Math.max(PICK_PIXELS, this.camera.radius(this.graph.n) + 3) / this.camera.k;
    return this.graph.nearest(this.camera.worldX(px), this.camera.worldY(py), reach, (row) => this.shown[row]);
  }

  pointerDown(event, [px, py]) {
    if (event.button > 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { px, py });
    this.moved = this.pointers.size > 1 ? Infinity : 0;
    if (this.pointers.size === 1 && (this.lassoing || event.shiftKey)) this.lasso = [[this.camera.worldX(px), this.camera.worldY(py)]];
    else this.lasso = null;
    this.move = null;
  }

  pointerMove(event, [px, py]) {
    this.scrolled = -1e9;
    const last = this.pointers.get(event.pointerId);
    if (!last) { this.setHover(this.pick(px, py), [px, py]); return; }
    const dx = px - last.px, dy = py - last.py;
    this.moved += Math.hypot(dx, dy);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    if (others.length) {
      const [other] = others, before = Math.hypot(last.px - other.px, last.py - other.py), after = Math.hypot(px - other.px, py - other.py);
      this.camera.zoom(after / Math.max(before, 1), (px + other.px) / 2, (py + other.py) / 2);
      this.camera.pan(dx / 2, dy / 2);
    } else if (this.lasso) this.lasso.push([this.camera.worldX(px), this.camera.worldY(py)]);
    else if (this.moved > 3) { this.camera.pan(dx, dy); this.canvas.classList.add("lv-moving"); this.setHover(-1); }
    if (others.length || this.lasso || this.moved > 3) Object.assign(last, { px, py });
    this.draw();
  }

  pointerUp(event, [px, py]) {
    if (!this.pointers.delete(event.pointerId)) return;
    this.canvas.classList.remove("lv-moving");
    if (this.lasso && this.lasso.length > 2 && this.moved > 6) this.endLasso();
    else if (event.type === "pointerup" && this.moved <= 3) {
      const row = this.pick(px, py);
      if (event.shiftKey && row >= 0) this.toggle(row);
      else this.setPin(row);
    }
    this.lasso = null;
    this.draw();
  }

  // A page that is being scrolled goes on scrolling when the picture comes under the pointer.
  wheel(event, [px, py]) {
    if (!event.ctrlKey && performance.now() - this.scrolled < 400) { this.scrolled = performance.now(); return; }
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 300 : 1;
    this.zoomBy(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 0.008 : 0.0022)), px, py);
  }

  zoomBy(factor, px, py) {
    this.move = null;
    this.camera.zoom(factor, px, py);
    this.draw();
  }

  fit() {
    this.glide(this.camera.whole());
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }, way = ways[event.key];
    if (way && event.shiftKey) this.step(way);
    else if (way) { this.move = null; this.camera.pan(-60 * way[0], -60 * way[1]); this.draw(); }
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.3);
    else if (event.key === "-" || event.key === "_") this.zoomBy(1 / 1.3);
    else if (event.key === "0") this.fit();
    else if (event.key === "Enter") { if (this.cursor < 0) this.step([0, 0]); else this.setPin(this.cursor); }
    else if (event.key === " ") { if (this.cursor >= 0) this.toggle(this.cursor); }
    else if (event.key === "Escape") { this.setLasso(false); this.lasso = null; this.setPin(-1); this.setHover(-1); this.cursor = -1; }
    else if (event.key === "/") this.search.input.focus();
    else if (event.key === "l") this.setLasso(!this.lassoing);
    else return;
    event.preventDefault();
  }

  // Go to the nearest shown node in a direction, or to the one nearest to the centre.
  step([dx, dy]) {
    const { graph, camera } = this, from = this.cursor;
    const x = from < 0 ? camera.cx : graph.x[from], y = from < 0 ? camera.cy : graph.y[from];
    let best = -1, least = Infinity;
    for (let row = 0; row < graph.n; row++) {
      if (row === from || !this.shown[row]) continue;
      const along = (graph.x[row] - x) * dx + (graph.y[row] - y) * dy, square = (graph.x[row] - x) ** 2 + (graph.y[row] - y) ** 2;
      if (from >= 0 && (along <= 0 || along * along < square / 2)) continue;
      if (square < least) { best = row; least = square; }
    }
    if (best < 0) { this.live.textContent = "No node in this direction."; return; }
    this.cursor = best;
    const px = camera.screenX(graph.x[best]), py = camera.screenY(graph.y[best]);
    if (px < 20 || py < 20 || px > camera.w - 20 || py > camera.h - 20) this.glide({ cx: graph.x[best], cy: graph.y[best] });
    this.setHover(best, [px, py]);
    this.live.textContent = graph.describe(best);
  }

  setHover(row, place) {
    if (row !== this.hover) {
      this.hover = row;
      this.tell("hover", row < 0 ? null : row);
      this.draw();
    }
    this.canvas.classList.toggle("lv-over", row >= 0);
    this.tip.hidden = row < 0;
    if (row >= 0) this.showTip(row, place);
  }

  showTip(row, [px, py]) {
    const { graph, tip, camera } = this;
    const lines = [make("strong", {}, nameText(graph.name(row), 60))];
    if (graph.labels[row] >= 0) {
      const share = graph.confidence ? ` ${percent(graph.confidence[row])}` : "", kind = graph.given ? `, ${graph.given[row] ? graph.words.given : graph.words.predicted}` : "";
      lines.push(make("span", {}, classText(graph, graph.labels[row], graph.given && !graph.given[row]), make("span", { text: share + kind })));
    }
    if (graph.runnerUp && graph.runnerUp[row] >= 0) lines.push(make("span", { class: "lv-soft" }, make("span", { text: "runner-up " }), classText(graph, graph.runnerUp[row], true),
      make("span", { text: graph.runnerUpConfidence ? ` ${percent(graph.runnerUpConfidence[row])}` : "" })));
    lines.push(make("span", { class: "lv-soft", text: plural(graph.degrees[row], "neighbour") }));
    tip.replaceChildren(...lines);
    const left = Math.max(4, Math.min(camera.w - tip.offsetWidth - 4, px + 14)), under = py + 16 + tip.offsetHeight < camera.h;
    tip.style.left = `${left}px`;
    tip.style.top = `${under ? py + 14 : Math.max(4, py - 12 - tip.offsetHeight)}px`;
  }

  setPin(row) {
    if (row === this.pin) return;
    this.pin = row;
    this.cursor = row;
    this.table.setPin(row);
    this.renderSide();
    this.live.textContent = row < 0 ? "" : `Pinned: ${this.graph.describe(row)}`;
    this.tell("pin", row < 0 ? null : row);
    this.draw();
  }

  // Bring a node to the centre and pin it.
  focus(node) {
    const row = this.graph.row(node);
    if (row < 0) return;
    this.setPin(row);
    const k = Math.max(this.camera.k, Math.min(this.camera.most, this.camera.home * Math.max(1, Math.sqrt(this.graph.n / 400))));
    this.glide({ cx: this.graph.x[row], cy: this.graph.y[row], k });
  }

  select(nodes) {
    this.selected = new Set(Array.from(nodes, (node) => this.graph.row(node)).filter((row) => row >= 0));
    this.selectionChanged();
  }

  toggle(row) {
    if (!this.selected.delete(row)) this.selected.add(row);
    this.selectionChanged();
    this.live.textContent = `${this.graph.name(row)} ${this.selected.has(row) ? "is on" : "is off"} the list, ${plural(this.selected.size, "node")}`;
  }

  selectionChanged() {
    this.painter.dirty = true;
    this.renderSide();
    this.tell("select", [...this.selected]);
    this.draw();
  }

  // Show lines of text on the card of a node, such as the evidence for its class.
  card(node, lines) {
    const row = this.graph.row(node);
    this.graph.cards.set(row, lines);
    if (row === this.pin) this.renderSide();
  }

  renderSide() {
    const { graph, pin } = this, go = (row) => this.focus(row);
    const card = pin < 0 ? null : nodeCard(graph, pin, { go, close: () => this.setPin(-1), select: () => this.toggle(pin), selected: this.selected.has(pin) });
    const list = selectionList(graph, [...this.selected], { go, clear: () => this.select([]), save: () => this.save([...this.selected], "selection.csv") });
    this.side.replaceChildren(...[card, list].filter(Boolean));
  }

  setLasso(on) {
    this.lassoing = on;
    this.lassoButton.setAttribute("aria-pressed", String(on));
    this.canvas.classList.toggle("lv-lassoing", on);
  }

  endLasso() {
    const { graph, lasso } = this, xs = lasso.map(([x]) => x), ys = lasso.map(([, y]) => y), found = [];
    graph.visitBox(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), (row) => {
      if (this.shown[row] && encloses(lasso, graph.x[row], graph.y[row])) found.push(row);
    });
    this.select([...found].sort((a, b) => a - b));
    this.setLasso(false);
    this.live.textContent = `${plural(found.length, "node")} selected`;
  }

  save(rows, name) {
    const address = URL.createObjectURL(new Blob([nodesAsCsv(this.graph, rows)], { type: "text/csv" }));
    make("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  glide(goal) {
    const { camera } = this, from = { cx: camera.cx, cy: camera.cy, k: camera.k }, to = { ...from, ...goal };
    const begun = performance.now(), move = {};
    this.move = move;
    if (this.still.matches) { Object.assign(camera, to); this.draw(); return; }
    const advance = (now) => {
      if (this.move !== move) return;
      const t = Math.max(0, Math.min(1, (now - begun) / 280)), ease = t * (2 - t);
      camera.k = from.k * (to.k / from.k) ** ease;
      camera.cx = from.cx + (to.cx - from.cx) * ease;
      camera.cy = from.cy + (to.cy - from.cy) * ease;
      this.draw();
      if (t < 1) requestAnimationFrame(advance);
    };
    requestAnimationFrame(advance);
  }

  tell(name, detail) {
    this.options[`on${name}`]?.(detail);
    this.element.dispatchEvent(new CustomEvent(`lovasz:${name}`, { detail }));
  }
}

function encloses(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

// Open the viewers that the page contains. If one fails, its drawing and table stay in place.
function openViewers() {
  for (const element of document.querySelectorAll("[data-lovasz-viewer]:not(.lv-on)")) {
    const source = element.querySelector('script[type="application/json"]');
    if (source) element.lovaszViewer = new LovaszViewer(element, JSON.parse(source.textContent));
  }
}

globalThis.LovaszViewer = LovaszViewer;
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", openViewers);
else openViewers();
