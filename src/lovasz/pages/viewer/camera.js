// Which part of the plane a canvas shows. Graph coordinates are [0, 1] × [0, aspect].

const TOOLS = 58; // width of the tools, with a gap
const BORDER = 22; // room around a whole graph

class Camera {
  constructor() {
    Object.assign(this, { cx: 0.5, cy: 0.5, k: 100, w: 1, h: 1, aspect: 1, least: 1, most: 1 });
  }

  // Show the whole graph, right of the tools.
  fit(aspect, n) {
    this.aspect = aspect;
    this.home = Math.max(1, Math.min(this.w - TOOLS - BORDER, (this.h - 2 * BORDER) / aspect));
    this.least = this.home / 2;
    this.most = this.home * Math.max(12, Math.sqrt(n) * 2);
    Object.assign(this, this.whole());
  }

  whole() {
    return { cx: 0.5 - (TOOLS - BORDER) / 2 / this.home, cy: this.aspect / 2, k: this.home };
  }

  resize(w, h, n) {
    const zoom = this.home ? this.k / this.home : 1, { cx, cy } = this;
    Object.assign(this, { w, h });
    this.fit(this.aspect, n);
    if (zoom !== 1) Object.assign(this, { cx, cy, k: this.home * zoom });
  }

  screenX(x) { return (x - this.cx) * this.k + this.w / 2; }
  screenY(y) { return (y - this.cy) * this.k + this.h / 2; }
  worldX(px) { return (px - this.w / 2) / this.k + this.cx; }
  worldY(py) { return (py - this.h / 2) / this.k + this.cy; }

  pan(dx, dy) {
    this.cx = Math.max(0, Math.min(1, this.cx - dx / this.k));
    this.cy = Math.max(0, Math.min(this.aspect, this.cy - dy / this.k));
  }

  zoom(factor, px = this.w / 2, py = this.h / 2) {
    const x = this.worldX(px), y = this.worldY(py);
    this.k = Math.max(this.least, Math.min(this.most, this.k * factor));
    this.cx = x - (px - this.w / 2) / this.k;
    this.cy = y - (py - this.h / 2) / this.k;
    this.pan(0, 0);
  }

  // The radius of a node on the screen.
  radius(n) {
    return Math.max(1.6, Math.min(7, 0.2 * this.k * Math.sqrt(this.aspect / Math.max(n, 1))));
  }
}
