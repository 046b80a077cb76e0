// Draws a graph a slice per frame into a buffer larger than the view; each frame shows the buffer.

const SLICE_MS = 8; // time per frame for drawing into the buffer
const MOVING_STEPS = 4; // steps of drawing per frame while the picture is dragged; browsers draw later than they are told
const MARGIN = 0.3; // how far the buffer reaches beyond the view, as a share of the view
const DENSE_NODES = 30000; // with more nodes in the buffer it shows their density
const MOST_EDGES = 60000; // with more edges in the buffer, only those of a hovered node are drawn
const EDGES_PER_NODE = 12.5; // the same if there are more edges per node, as they would cover it
const FEW_EDGES = 1500; // so many edges are always drawn
const NAMED_NODES = 150; // with at most this many nodes in the view their names are shown
const QUIET_MS = 90; // after a change of zoom, how long to wait for the next one

class Painter {
  constructor(canvas, camera) {
    Object.assign(this, { canvas, camera, context: canvas.getContext("2d"), front: null, job: null, dirty: true, zoomed: 0 });
    this.state = null; // { graph, shown, selected, hover, pin, lasso }
    this.readTheme();
  }

  readTheme() {
    const style = getComputedStyle(this.canvas);
    this.theme = {};
    for (const name of ["paper", "ink", "soft", "faint", "accent"]) this.theme[name] = style.getPropertyValue(`--lv-${name}`).trim() || "#808080";
    this.font = style.fontFamily || "sans-serif";
    this.sprites = new Map();
    this.dirty = true;
  }

  resize(w, h) {
    this.ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.max(1, Math.round(w * this.ratio));
    this.canvas.height = Math.max(1, Math.round(h * this.ratio));
    this.dirty = true;
  }

  // Draw one frame. Returns whether another frame is needed.
  frame(now) {
    const { camera, front } = this;
    const scaled = front && Math.abs(camera.k / front.k - 1) > 1e-6;
    if (scaled && this.seen !== camera.k) { this.seen = camera.k; this.zoomed = now; }
    const waiting = scaled && now - this.zoomed < QUIET_MS;
    if (this.dirty) this.job = null;
    if (!this.job && (this.dirty || (scaled && !waiting) || (front && !scaled && this.leaving(front)))) this.start();
    if (this.job && scaled && waiting && this.job.view.k !== camera.k) this.job = null;
    if (this.job) this.work();
    this.show();
    return Boolean(this.job || waiting || this.dirty);
  }

  // Whether the view has come near a part of the graph that the buffer does not have.
  leaving(view) {
    const { cx, cy, k, w, h, aspect } = this.camera;
    const short = (centre, size, from, length, most) => {
      const reach = (size * (0.5 + MARGIN / 3)) / k, half = length / 2 / k;
      return Math.max(0, centre - reach) < from - half - 1e-9 || Math.min(most, centre + reach) > from + half + 1e-9;
    };
    return short(cx, w, view.cx, view.w, 1) || short(cy, h, view.cy, view.h, aspect);
  }

  start() {
    const { cx, cy, k, w, h } = this.camera;
    const view = { cx, cy, k, w: w * (1 + 2 * MARGIN), h: h * (1 + 2 * MARGIN), done: false };
    view.canvas = this.spare || document.createElement("canvas");
    this.spare = null;
    view.canvas.width = Math.max(1, Math.round(view.w * this.ratio));
    view.canvas.height = Math.max(1, Math.round(view.h * this.ratio));
    this.dirty = false;
    this.job = { view, steps: this.steps(view) };
    if (!this.front) this.front = view; // the first picture is shown while it grows
  }

  work() {
    const { view, steps } = this.job, end = performance.now() + SLICE_MS;
    let left = this.state.moving ? MOVING_STEPS : Infinity;
    do {
      if (steps.next().done) {
        view.done = true;
        if (this.front !== view) { this.spare = this.front.canvas; this.front = view; }
        this.job = null;
        return;
      }
    } while (--left > 0 && performance.now() < end);
  }

  *steps(view) {
    const context = view.canvas.getContext("2d"), { graph, shown, selected } = this.state;
    const ratio = this.ratio, ox = view.w / 2 - view.cx * view.k, oy = view.h / 2 - view.cy * view.k;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.w, view.h);
    const inside = new Uint8Array(graph.n), rows = [];
    let faded = 0, central = 0;
    graph.visitBox(-ox / view.k, -oy / view.k, (view.w - ox) / view.k, (view.h - oy) / view.k, (row) => {
      const px = graph.x[row] * view.k + ox, py = graph.y[row] * view.k + oy;
      if (px < -9 || py < -9 || px > view.w + 9 || py > view.h + 9) return;
      inside[row] = 1;
      rows.push(row);
      if (!shown[row]) faded++;
      else if (Math.abs(px - view.w / 2) < this.camera.w / 2 && Math.abs(py - view.h / 2) < this.camera.h / 2) central++;
    });
    this.note = { nodes: rows.length - faded, dense: rows.length > DENSE_NODES, edges: true };
    yield;
    const place = (row) => [graph.x[row] * view.k + ox, graph.y[row] * view.k + oy];
    yield* this.paintEdges(context, graph, shown, inside, place);
    const radius = this.camera.radius(graph.n);
    if (this.note.dense) yield* this.paintDensity(context, view, rows, place);
    else yield* this.paintNodes(context, rows, radius, place);
    let k = 0;
    context.strokeStyle = this.theme.ink;
    context.lineWidth = 1.4;
    for (const row of selected) {
      if (!inside[row]) continue;
      const [px, py] = place(row);
      context.beginPath();
      context.arc(px, py, radius + 2.2, 0, 7);
      context.stroke();
      if (++k % 300 === 0) yield;
    }
    if (central <= NAMED_NODES) this.paintNames(context, view, rows.filter((row) => shown[row]), radius, place);
  }

  *paintEdges(context, graph, shown, inside, place) {
    const { m, source, target } = graph, drawn = [], most = Math.min(MOST_EDGES, Math.max(FEW_EDGES, this.note.nodes * EDGES_PER_NODE));
    for (let e = 0; e < m; e++) {
      const a = source[e], b = target[e];
      if ((inside[a] || inside[b]) && shown[a] && shown[b]) drawn.push(e);
      if (drawn.length > most) { this.note.edges = false; return; }
      if (e % 50000 === 49999) yield;
    }
    context.strokeStyle = this.theme.faint;
    context.lineWidth = 0.8;
    context.globalAlpha = Math.max(0.12, Math.min(0.75, 0.75 * Math.sqrt(1500 / Math.max(drawn.length, 1))));
    const chunk = 150;
    for (let start = 0; start < drawn.length; start += chunk) {
      context.beginPath();
      for (let k = start; k < Math.min(start + chunk, drawn.length); k++) {
        context.moveTo(...place(source[drawn[k]]));
        context.lineTo(...place(target[drawn[k]]));
      }
      context.stroke();
      yield;
    }
    context.globalAlpha = 1;
  }

  *paintNodes(context, rows, radius, place) {
    const layers = [[], [], []];
    for (const row of rows) layers[this.layer(row)].push(row);
    yield;
    let k = 0;
    for (const part of layers) {
      for (const row of part) {
        this.paintNode(context, row, radius, ...place(row));
        if (++k % 500 === 0) yield;
      }
    }
  }

  // 0 for a node that is filtered out, 1 for one with a found class, 2 for one with a given class.
  layer(row) {
    const { graph, shown } = this.state;
    return !shown[row] ? 0 : graph.given && graph.given[row] ? 2 : 1;
  }

  paintNode(context, row, radius, px, py) {
    const { graph } = this.state, depth = this.layer(row), code = graph.labels[row];
    const key = `${depth},${code},${radius},${this.ratio}`;
    if (this.sprites.graph !== graph || this.sprites.size > 3000) Object.assign(this, { sprites: Object.assign(new Map(), { graph }) });
    if (!this.sprites.has(key)) this.sprites.set(key, this.sprite(depth, code, radius));
    const image = this.sprites.get(key), size = image.width / this.ratio;
    context.drawImage(image, px - size / 2, py - size / 2, size, size);
  }

  // A small picture of a node: faded, hollow or solid as in drawings.py.
  sprite(depth, code, radius) {
    const { graph } = this.state, image = document.createElement("canvas"), ratio = this.ratio;
    const r = depth === 0 ? Math.max(1, radius * 0.5) : depth === 2 ? radius * 1.2 : radius;
    image.width = image.height = Math.ceil((2 * r + 4) * ratio);
    const context = image.getContext("2d"), middle = image.width / 2;
    context.setTransform((r / 4) * ratio, 0, 0, (r / 4) * ratio, middle, middle);
    const path = new Path2D(graph.raw.shapes[graph.shape(code)]);
    const color = graph.color(code) || this.theme.soft, hollow = depth === 1 && graph.given && r >= 3;
    if (depth === 0) context.globalAlpha = 0.3;
    context.fillStyle = depth === 0 ? this.theme.faint : hollow ? this.theme.paper : color;
    context.fill(path);
    const width = hollow ? Math.max(1.1, r / 3) : depth === 2 ? 1.1 : r >= 3 ? 0.8 : 0;
    context.lineWidth = width * (4 / r);
    context.strokeStyle = hollow ? color : depth === 2 ? this.theme.ink : this.theme.paper;
    if (depth > 0 && width) context.stroke(path);
    return image;
  }

  *paintDensity(context, view, rows, place) {
    const { graph, shown } = this.state, size = 2;
    const w = Math.ceil(view.w / size), h = Math.ceil(view.h / size);
    const counts = new Float32Array(w * h), sums = new Float32Array(3 * w * h);
    const colors = [this.theme.soft, ...graph.raw.palette].map(parseColor);
    let most = 1;
    for (let k = 0; k < rows.length; k++) {
      const row = rows[k];
      if (!shown[row]) continue;
      const [px, py] = place(row), column = Math.floor(px / size), line = Math.floor(py / size);
      if (column < 0 || line < 0 || column >= w || line >= h) continue;
      const at = line * w + column, color = colors[graph.labels[row] < 0 ? 0 : 1 + (graph.labels[row] % (colors.length - 1))];
      most = Math.max(most, ++counts[at]);
      for (let c = 0; c < 3; c++) sums[3 * at + c] += color[c];
      if (k % 20000 === 19999) yield;
    }
    const image = new ImageData(w, h), scale = Math.log1p(Math.min(most, 12));
    for (let at = 0; at < w * h; at++) {
      if (!counts[at]) continue;
      for (let c = 0; c < 3; c++) image.data[4 * at + c] = sums[3 * at + c] / counts[at];
      image.data[4 * at + 3] = 255 * Math.min(1, 0.3 + (0.7 * Math.log1p(counts[at])) / scale);
    }
    yield;
    const small = document.createElement("canvas");
    Object.assign(small, { width: w, height: h });
    small.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(small, 0, 0, w * size, h * size);
  }

  // Write names right of their nodes where no other name is in the way.
  paintNames(context, view, rows, radius, place) {
    const { graph } = this.state, taken = [];
    context.font = `12px ${this.font}`;
    const centres = rows.map(place);
    const edge = (view.w + this.camera.w) / 2; // a name that would cross it goes left of its node
    const importance = (row) => (graph.given && graph.given[row] ? 1e6 : 0) + graph.degrees[row];
    for (const row of [...rows].sort((a, b) => importance(b) - importance(a)).slice(0, 400)) {
      const name = shorten(graph.name(row), 22), [px, py] = place(row), width = context.measureText(name).width;
      const left = px + radius + 6 + width > edge ? px - radius - 4 - width : px + radius + 4;
      const box = [left, py - 7, left + width + 2, py + 7];
      if (centres.some(([x, y], k) => rows[k] !== row && x > box[0] - radius && x < box[2] + radius && y > box[1] - radius / 2 && y < box[3] + radius / 2)) continue;
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
      taken.push(box);
      this.paintName(context, name, left, py);
    }
  }

  // Text with a rim in the colour of the page.
  paintName(context, name, left, middle) {
    Object.assign(context, { font: `12px ${this.font}`, textBaseline: "middle", direction: "ltr", lineWidth: 3, lineJoin: "round", strokeStyle: this.theme.paper, fillStyle: this.theme.ink });
    context.strokeText(name, left, middle);
    context.fillText(name, left, middle);
  }

  show() {
    const { context, camera, front, ratio } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.w, camera.h);
    if (front) {
      const scale = camera.k / front.k, w = front.w * scale, h = front.h * scale;
      let left = camera.screenX(front.cx) - w / 2, top = camera.screenY(front.cy) - h / 2;
      if (scale === 1) { left = Math.round(left * ratio) / ratio; top = Math.round(top * ratio) / ratio; }
      context.drawImage(front.canvas, left, top, w, h);
    }
    this.showFocus();
    this.showLasso();
  }

  // Above the buffer: the edges of the hovered and the pinned node, and rings around their ends.
  showFocus() {
    const { graph, hover, pin } = this.state, { context, camera, theme } = this, radius = camera.radius(graph.n);
    for (const row of new Set([pin, hover])) {
      if (row < 0) continue;
      const px = camera.screenX(graph.x[row]), py = camera.screenY(graph.y[row]), near = graph.neighbours(row).subarray(0, 3000);
      context.strokeStyle = theme.accent;
      context.lineWidth = 1.2;
      context.globalAlpha = near.length > 200 ? 0.35 : 0.8;
      context.beginPath();
      for (const other of near) {
        context.moveTo(px, py);
        context.lineTo(camera.screenX(graph.x[other]), camera.screenY(graph.y[other]));
      }
      context.stroke();
      context.globalAlpha = 1;
      for (const other of [...near, row]) this.paintNode(context, other, Math.max(radius, 3), camera.screenX(graph.x[other]), camera.screenY(graph.y[other]));
      context.beginPath();
      context.arc(px, py, Math.max(radius, 3) + 3, 0, 7);
      Object.assign(context, { lineWidth: 2.2, strokeStyle: theme.ink });
      context.stroke();
      this.paintName(context, shorten(graph.name(row), 40), px + Math.max(radius, 3) + 7, py);
    }
  }

  showLasso() {
    const { lasso } = this.state, { context, camera, theme } = this;
    if (!lasso || lasso.length < 2) return;
    context.beginPath();
    for (const [x, y] of lasso) context.lineTo(camera.screenX(x), camera.screenY(y));
    context.closePath();
    Object.assign(context, { fillStyle: theme.accent, strokeStyle: theme.accent, lineWidth: 1.5, globalAlpha: 0.14 });
    context.fill("evenodd");
    context.globalAlpha = 1;
    context.stroke();
  }
}

function parseColor(color) {
  const number = parseInt(color.slice(1), 16);
  return color.length === 7 ? [number >> 16, (number >> 8) & 255, number & 255] : [128, 128, 128];
}

function shorten(text, length) {
  const letters = Array.from(text);
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}
