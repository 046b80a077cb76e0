// The card of a node: its name, what the model says, its neighbourhood, features and evidence.

import { chip, color, count, draw, make, percent, replace, sentence, shape } from "./dom.js";

const RING = [0.62, 0.92];
const MANY = 10;

// Show a card; `code(name)` is the number of a class, `onnode(row)` is called for a clicked node.
export function showCard(top, details, card, code, onnode) {
  if (card === null) {
    replace(top, make("p", { class: "empty" }, "Every node is labelled or set aside."));
    replace(details);
    return;
  }
  replace(
    top,
    make("h2", { class: "name" }, make("bdi", {}, card.name)),
    make("p", { class: "soft" }, ...status(card, code)),
    card.reason ? make("p", { class: "reason" }, make("span", { class: "why" }, "Why this node"), " ", sentence(card.reason)) : null,
    guesses(card, code),
  );
  replace(
    details,
    neighbourhood(card, code, onnode),
    make("div", { class: "facts" }, list(card, code, onnode), features(card), make("div", { id: "evidence", class: "evidence" })),
  );
}

function status(card, code) {
  const near = card.degree === 0 ? "no neighbours" : count(card.degree, "neighbour");
  if (card.label !== null) return [`${near} · labelled `, chip(code(card.label)), make("bdi", {}, card.label), " so far"];
  if (card.status === "cannot") return [`${near} · set aside: nobody can say`];
  if (card.status === "skip") return [`${near} · skipped before`];
  return [near];
}

function guesses(card, code) {
  if (!card.answers.length) return null;
  const rows = card.answers.filter((said) => said.p >= 0.01).map((said) => {
    const bar = make("span", { class: "fill" });
    bar.style.width = `${100 * said.p}%`;
    bar.style.background = color(code(said.class));
    return make(
      "li",
      {},
      make("span", { class: "which" }, chip(code(said.class), false), make("bdi", {}, said.class)),
      make("span", { class: "track", "aria-hidden": "true" }, bar),
      make("span", { class: "number" }, percent(said.p)),
    );
  });
  const who = card.label === null ? "The model says" : "The model, which knows this label, says";
  return make("div", { class: "guess" }, make("h3", {}, who), make("ul", {}, ...rows));
}

function says(node) {
  if (node.label !== null) return `labelled ${node.label}`;
  return node.guess ? `the model says ${node.guess.class}, ${percent(node.guess.p)}` : "no label yet";
}

function known(node, code) {
  if (node.label !== null) return [code(node.label), true];
  return [node.guess ? code(node.guess.class) : -1, false];
}

// The node in the middle and its neighbours around it, in two rings if they are many.
function neighbourhood(card, code, onnode) {
  const near = card.neighbours;
  const place = near.map((_, k) => {
    const angle = (2 * Math.PI * k) / near.length - Math.PI / 2;
    const radius = near.length > MANY ? RING[k % 2] : RING[1] * 0.9;
    return [100 * radius * Math.cos(angle), 100 * radius * Math.sin(angle)];
  });
  const edges = near.map((_, k) => line([0, 0], place[k], "own"));
  const links = card.links.map(([i, j]) => line(place[i], place[j], "other"));
  const dots = near.map((node, k) => {
    const [number, given] = known(node, code);
    const path = draw("path", { d: shape(number), class: given ? "given" : "guessed", transform: "scale(1.7)" });
    path.style.setProperty("--color", color(number));
    const title = draw("title", {}, `${node.name}: ${says(node)}`);
    return draw("g", { transform: `translate(${place[k].map((x) => x.toFixed(1))})`, class: "dot", onclick: () => onnode(node.row) }, title, path);
  });
  const middle = draw("circle", { r: 9, class: "middle" });
  if (card.label !== null) middle.style.fill = color(code(card.label));
  const mark = card.label === null ? draw("text", { class: "mark", y: 4.5, "text-anchor": "middle" }, "?") : null;
  return draw("svg", { class: "ego", viewBox: "-110 -110 220 220", "aria-hidden": "true" }, ...links, ...edges, ...dots, middle, ...(mark ? [mark] : []));
}

function line(a, b, kind) {
  return draw("line", { x1: a[0].toFixed(1), y1: a[1].toFixed(1), x2: b[0].toFixed(1), y2: b[1].toFixed(1), class: kind });
}

function list(card, code, onnode) {
  if (!card.neighbours.length) return make("p", { class: "soft" }, "It has no edge, so only its features can tell its class.");
  const entries = card.neighbours.map((node) => {
    const [number, given] = known(node, code);
    const what = node.label ?? node.guess?.class ?? "";
    return make(
      "li",
      {},
      make("button", { class: "plain", title: says(node), onclick: () => onnode(node.row) }, chip(number, given), make("bdi", { class: "cut" }, node.name)),
      make("span", { class: "soft small cut" }, make("bdi", {}, what), given || !node.guess ? "" : `, ${percent(node.guess.p)}`),
    );
  });
  const more = card.degree - card.neighbours.length;
  return make(
    "div",
    { class: "near" },
    make("h3", {}, "Neighbours ", make("span", { class: "soft small" }, "full: labelled · hollow: the model")),
    make("ul", { class: "nodes" }, ...entries),
    more > 0 ? make("p", { class: "soft small" }, `and ${count(more, "more", "more")}`) : null,
  );
}

function features(card) {
  if (!card.features.length) return null;
  const rows = card.features.map((entry) =>
    make("tr", {}, make("th", { scope: "row" }, make("bdi", { class: "cut" }, entry.column)), make("td", {}, number(entry.value)), make("td", { class: "soft" }, deviation(entry.score))),
  );
  return make("div", { class: "features" }, make("h3", {}, "What stands out in its features"), make("table", {}, make("tbody", {}, ...rows)));
}

const number = (x) => (Number.isInteger(x) ? x.toLocaleString("en") : String(Number(x.toPrecision(3))));

function deviation(score) {
  const size = Math.abs(score);
  return `${size >= 10 ? Math.round(size) : size.toFixed(1)} sd ${score > 0 ? "above" : "below"} the mean`;
}

// The evidence for the model's answer, which arrives later than the card.
export function showEvidence(element, explanation, onnode) {
  if (!explanation || explanation.problem || !explanation.evidence.length) {
    replace(element);
    return;
  }
  const rows = explanation.evidence.map((piece) =>
    make(
      "li",
      {},
      piece.rows.length
        ? make("button", { class: "plain", onclick: () => onnode(piece.rows[0]) }, make("bdi", {}, piece.text))
        : make("bdi", {}, piece.text),
      make("span", { class: piece.effect >= 0 ? "number for" : "number against" }, `${piece.effect >= 0 ? "+" : "−"}${(100 * Math.abs(piece.effect)).toFixed(1)}`),
    ),
  );
  replace(
    element,
    make("h3", {}, "Why the model says ", make("bdi", {}, explanation.answer), make("span", { class: "soft small" }, "  percentage points that each piece adds")),
    make("ol", {}, ...rows),
  );
}
