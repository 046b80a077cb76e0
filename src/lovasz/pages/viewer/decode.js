// What a viewer knows of its graph: the inverse of encoding.py, and a grid to find nodes by place.

function decodeBytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

function decodeVarints(text) {
  const bytes = decodeBytes(text), out = new Uint32Array(bytes.length);
  let count = 0, value = 0, shift = 0;
  for (const byte of bytes) {
    value += (byte & 127) * 2 ** shift;
    if (byte & 128) shift += 7;
    else { out[count++] = value; value = shift = 0; }
  }
  return out.subarray(0, count);
}

function decodeShares(text) {
  const bytes = decodeBytes(text), out = new Float32Array(bytes.length >> 1);
  for (let i = 0; i < out.length; i++) out[i] = (bytes[2 * i] | (bytes[2 * i + 1] << 8)) / 65535;
  return out;
}

class GraphData {
  constructor(raw) {
    this.raw = raw;
    this.n = raw.n;
    this.aspect = raw.aspect || 1;
    this.x = decodeShares(raw.x);
    this.y = decodeShares(raw.y).map((share) => share * this.aspect);
    this.classes = raw.classes || [];
    this.words = { class: "class", given: "given", predicted: "predicted", kind: "label", probability: "probability", ...raw.words };
    this.labels = raw.labels ? Int32Array.from(decodeVarints(raw.labels), (code) => code - 1) : new Int32Array(this.n).fill(-1);
    this.given = raw.given ? Uint8Array.from(decodeVarints(raw.given)) : null;
    this.confidence = raw.confidence ? decodeShares(raw.confidence) : null;
    this.runnerUp = raw.runnerUp ? Int32Array.from(decodeVarints(raw.runnerUp), (code) => code - 1) : null;
    this.runnerUpConfidence = raw.runnerUpConfidence ? decodeShares(raw.runnerUpConfidence) : null;
    this.cards = new Map(Object.entries(raw.cards || {}).map(([row, lines]) => [Number(row), lines]));
    this.readEdges(raw.edges);
    this.makeGrid();
  }

  readEdges(text) {
    const n = this.n, numbers = text ? decodeVarints(text) : new Uint32Array(n), m = numbers.length - n;
    const source = new Uint32Array(m), target = new Uint32Array(m), degrees = new Uint32Array(n);
    for (let row = 0, k = 0; row < n; row++) {
      for (let left = numbers[row], column = row; left > 0; left--, k++) {
        column += numbers[n + k];
        source[k] = row; target[k] = column;
        degrees[row]++; degrees[column]++;
      }
    }
    const starts = new Uint32Array(n + 1), neighbours = new Uint32Array(2 * m);
    for (let row = 0; row < n; row++) starts[row + 1] = starts[row] + degrees[row];
    const next = starts.slice();
    for (let k = 0; k < m; k++) {
      neighbours[next[source[k]]++] = target[k];
      neighbours[next[target[k]]++] = source[k];
    }
    Object.assign(this, { m, source, target, degrees, starts, adjacent: neighbours });
  }

  makeGrid() {
    const { n, x, y, aspect } = this, side = Math.max(1, Math.ceil(Math.sqrt(n / 4)));
    const cell = new Uint32Array(n), starts = new Uint32Array(side * side + 1), order = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      const column = Math.min(side - 1, Math.floor(x[i] * side));
      const line = Math.min(side - 1, Math.floor((y[i] / aspect) * side));
      cell[i] = line * side + column;
      starts[cell[i] + 1]++;
    }
    for (let c = 0; c < side * side; c++) starts[c + 1] += starts[c];
    const next = starts.slice();
    for (let i = 0; i < n; i++) order[next[cell[i]]++] = i;
    this.grid = { side, starts, order };
  }

  // Call visit(row) for every node in the cells that meet a rectangle.
  visitBox(left, top, right, bottom, visit) {
    const { side, starts, order } = this.grid;
    const bound = (value) => Math.max(0, Math.min(side - 1, Math.floor(value * side)));
    const first = bound(left), last = bound(right);
    for (let line = bound(top / this.aspect); line <= bound(bottom / this.aspect); line++) {
      for (let k = starts[line * side + first]; k < starts[line * side + last + 1]; k++) visit(order[k]);
    }
  }

  // The row of the nearest node within a distance that passes a test, or -1.
  nearest(px, py, reach, accept) {
    let best = -1, least = reach * reach;
    this.visitBox(px - reach, py - reach, px + reach, py + reach, (row) => {
      const square = (this.x[row] - px) ** 2 + (this.y[row] - py) ** 2;
      if (square < least && accept(row)) { best = row; least = square; }
    });
    return best;
  }

  neighbours(row) {
    return this.adjacent.subarray(this.starts[row], this.starts[row + 1]);
  }

  name(row) {
    return this.raw.names ? this.raw.names[row] : String(row);
  }

  row(node) {
    if (typeof node === "number") return Number.isInteger(node) && node >= 0 && node < this.n ? node : -1;
    return this.raw.names ? this.raw.names.indexOf(node) : this.row(Number(node));
  }

  color(code) {
    const palette = this.raw.palette;
    return code < 0 ? null : palette[code % palette.length];
  }

  shape(code) {
    const { palette, shapes } = this.raw;
    return code < 0 ? 0 : Math.floor(code / palette.length) % shapes.length;
  }

  className(row) {
    return this.labels[row] < 0 ? "–" : this.classes[this.labels[row]];
  }

  // The rows whose names contain a text, in order; names that begin with it first.
  search(text, limit) {
    this.lower ||= Array.from({ length: this.n }, (_, row) => this.name(row).toLowerCase());
    const wanted = text.toLowerCase(), first = [], later = [];
    for (let row = 0; row < this.n; row++) {
      const at = this.lower[row].indexOf(wanted);
      if (at === 0) first.push(row);
      else if (at > 0 && later.length < limit) later.push(row);
    }
    first.sort((a, b) => this.lower[a].length - this.lower[b].length || a - b);
    return first.concat(later).slice(0, limit);
  }

  describe(row) {
    const words = [this.name(row)];
    if (this.labels[row] >= 0) words.push(`${this.words.class} ${this.className(row)}`);
    if (this.confidence && this.labels[row] >= 0) words.push(percent(this.confidence[row]));
    if (this.given) words.push(this.given[row] ? this.words.given : this.words.predicted);
    words.push(`${this.degrees[row]} neighbour${this.degrees[row] === 1 ? "" : "s"}`);
    return words.join(", ");
  }
}

function percent(share) {
  return `${(100 * share).toFixed(1)}\u00a0%`;
}
