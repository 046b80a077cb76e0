// Building elements. Text is always text: nothing in this app is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

// make("button", {class: "x", onclick: f}, "text", child, …)
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

// The colour of the class with this number; -1 is "no class".
export function color(code) {
  return code < 0 ? "var(--faint)" : `var(--class-${code % 10})`;
}

// The marker of a class: after ten classes the colours repeat with another shape.
const SHAPES = [
  "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
  "M-3.6,-3.6h7.2v7.2h-7.2z",
  "M0,-4.4l4.4,8h-8.8z",
  "M0,-4.8l4.8,4.8l-4.8,4.8l-4.8,-4.8z",
  "M0,4.4l4.4,-8h-8.8z",
  "M-1.6,-4.5h3.2v2.9h2.9v3.2h-2.9v2.9h-3.2v-2.9h-2.9v-3.2h2.9z",
];

export function shape(code) {
  return SHAPES[Math.floor(Math.max(code, 0) / 10) % SHAPES.length];
}

// A small picture of a class: full for a given label, hollow for what the model says.
export function chip(code, given = true) {
  const path = draw("path", { d: shape(code), class: given ? "given" : "guessed" });
  path.style.setProperty("--color", color(code));
  return draw("svg", { class: "chip", viewBox: "-6 -6 12 12", "aria-hidden": "true" }, path);
}

export const percent = (p) => (p > 0.995 && p < 1 ? "> 99 %" : `${Math.round(100 * p)} %`);

export const count = (n, noun, many = `${noun}s`) => `${n.toLocaleString("en")} ${n === 1 ? noun : many}`;

// Text as a sentence: a capital at the beginning, a full stop at the end.
export const sentence = (words) => (words ? words[0].toUpperCase() + words.slice(1).replace(/\.?$/, ".") : "");
