// The accuracy to expect against the number of labels, with its 95 % interval.

import { draw, make, percent, replace, sentence } from "./dom.js";

const WIDTH = 320;
const HEIGHT = 170;
const EDGE = { left: 40, right: 10, top: 8, bottom: 30 };

export function showCurve(element, { curve, forecast, advice, labelled }, needed) {
  if (!curve.length) {
    const text =
      labelled < needed
        ? `After about ${needed} labels, some of them are kept from the model to judge it, and the curve begins.`
        : "The first estimate is being made.";
    replace(element, make("p", { class: "soft" }, text));
    return;
  }
  const last = curve[curve.length - 1];
  const points = forecast.length ? [...curve, ...forecast] : curve;
  const first = Math.min(...points.map((p) => p.labels));
  const most = Math.max(first + 10, ...points.map((p) => p.labels));
  const lowest = Math.min(...points.map((p) => p.low));
  const floor = Math.max(0, Math.floor(10 * lowest) / 10);
  const x = (labels) => EDGE.left + ((labels - first) / (most - first)) * (WIDTH - EDGE.left - EDGE.right);
  const y = (p) => HEIGHT - EDGE.bottom - ((p - floor) / (1 - floor)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const parts = [...axes(x, y, first, most, floor), ...series(curve, x, y, "now")];
  if (forecast.length) parts.push(...series([last, ...forecast], x, y, "later"));
  parts.push(draw("circle", { class: "last", r: 4, cx: x(last.labels), cy: y(last.expected) }));
  const said = `With ${last.labels} labels, ${percent(last.expected)} of the other answers should be right (${percent(last.low)} to ${percent(last.high)}).`;
  replace(
    element,
    make("p", { class: "headline" }, make("b", {}, percent(last.expected)), make("span", { class: "soft" }, ` between ${percent(last.low)} and ${percent(last.high)} with ${last.labels} labels`)),
    draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": said, class: "curve", "data-points": curve.length }, ...parts),
    forecast.length ? make("p", { class: "soft small" }, "Dashed: what more labels would bring. ", sentence(advice)) : null,
  );
}

function series(points, x, y, kind) {
  const up = points.map((p) => `${x(p.labels).toFixed(1)},${y(p.high).toFixed(1)}`);
  const down = points.map((p) => `${x(p.labels).toFixed(1)},${y(p.low).toFixed(1)}`).reverse();
  const middle = points.map((p) => `${x(p.labels).toFixed(1)},${y(p.expected).toFixed(1)}`);
  if (points.length === 1) {
    const [p] = points;
    return [draw("line", { class: `whisker ${kind}`, x1: x(p.labels), x2: x(p.labels), y1: y(p.low), y2: y(p.high) })];
  }
  return [
    draw("polygon", { class: `band ${kind}`, points: [...up, ...down].join(" ") }),
    draw("polyline", { class: `line ${kind}`, points: middle.join(" ") }),
  ];
}

function axes(x, y, first, most, floor) {
  const parts = [];
  const step = 1 - floor > 0.5 ? 0.25 : 0.1;
  for (let p = 1; p >= floor - 1e-9; p -= step) {
    parts.push(draw("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(p), y2: y(p) }));
    parts.push(draw("text", { x: EDGE.left - 6, y: y(p) + 3.5, "text-anchor": "end" }, percent(p)));
  }
  const ticks = niceTicks(first, most);
  for (const labels of ticks) {
    parts.push(draw("text", { x: x(labels), y: HEIGHT - EDGE.bottom + 14, "text-anchor": "middle" }, String(labels)));
  }
  parts.push(draw("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 3, "text-anchor": "middle" }, "labels"));
  return parts;
}

export function niceTicks(first, most) {
  const rough = (most - first) / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) ?? rough;
  const ticks = [];
  for (let t = Math.ceil(first / step) * step; t <= most; t += step) ticks.push(Math.round(t));
  return ticks;
}
