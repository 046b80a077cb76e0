// The panels beside the card: the classes, the queue, doubts, what was done, and the training.

import { byId, chip, count, make, percent, replace } from "./dom.js";

// Keys of the classes; the letters c, n, s and u have other meanings.
export const KEYS = [..."123456789abdefghijklmopqrtvwxyz"];

export function showClasses(classes, current, onchoose) {
  const buttons = classes.map((entry, code) =>
    make(
      "button",
      { class: "class", "data-class": entry.name, "aria-pressed": String(entry.name === current), "aria-keyshortcuts": KEYS[code], onclick: () => onchoose(entry.name) },
      KEYS[code] ? make("kbd", {}, KEYS[code]) : null,
      chip(code),
      make("bdi", { class: "cut" }, entry.name),
      make("span", { class: "soft small tally" }, String(entry.count)),
    ),
  );
  replace(
    byId("classes"),
    ...(buttons.length ? buttons : [make("p", { class: "soft" }, "There is no class yet. Write the first one below; from then on a key is enough.")]),
  );
}

export function showCounts(state) {
  const done = state.labelled + state.aside;
  const parts = [`${state.labelled.toLocaleString("en")} of ${count(state.nodes, "node")} labelled`];
  if (state.aside) parts.push(`${state.aside.toLocaleString("en")} set aside`);
  replace(byId("counts"), parts.join(" · "));
  const share = byId("share");
  share.setAttribute("aria-valuenow", String(Math.round((100 * done) / state.nodes)));
  share.firstElementChild.style.width = `${(100 * done) / state.nodes}%`;
}

export function showTraining(training, labelled) {
  const line = byId("training");
  if (training.failure) replace(line, `The last training failed: ${training.failure}`);
  else if (training.labels === null) replace(line, "Looking for the nodes worth asking for …");
  else if (labelled === 0) replace(line, "The model begins to learn at the second class.");
  else if (training.share !== null) replace(line, `Learning from ${count(labelled, "label")} …`);
  else replace(line, `Learned from ${count(training.labels, "label")} in ${training.seconds.toFixed(1)} s.`);
  showProgress(training.share);
}

export function showProgress(share) {
  const bar = byId("progress");
  bar.hidden = share === null;
  if (share !== null) bar.firstElementChild.style.width = `${100 * share}%`;
}

export function showQueue(queue, code, onnode) {
  const rows = queue.map((node) =>
    make(
      "li",
      {},
      make("button", { class: "plain", onclick: () => onnode(node.row) }, chip(node.guess ? code(node.guess.class) : -1, false), make("bdi", { class: "cut" }, node.name)),
      make("span", { class: "soft small cut", title: node.reason }, node.reason),
    ),
  );
  replace(byId("queue"), ...(rows.length ? rows : [make("li", { class: "soft" }, "Nothing is waiting.")]));
}

export function showDoubts(doubts, code, onnode, onaccept) {
  byId("doubts-panel").hidden = doubts.length === 0;
  const rows = doubts.map((doubt) =>
    make(
      "li",
      {},
      make("button", { class: "plain", onclick: () => onnode(doubt.row) }, chip(code(doubt.label)), make("bdi", { class: "cut" }, doubt.name)),
      make(
        "span",
        { class: "small" },
        "is labelled ", make("bdi", {}, doubt.label), "; without this label the model says ", make("bdi", {}, doubt.better), `, ${percent(doubt.p)}. `,
        make("button", { class: "link", onclick: () => onaccept(doubt.row, doubt.better) }, "Change it"),
      ),
    ),
  );
  replace(byId("doubts"), ...rows);
}

const WORDS = { skip: "skipped", cannot: "cannot say", class: "new class" };

export function showRecent(recent, code, onnode) {
  const rows = recent.map((event) =>
    make(
      "li",
      {},
      event.row === null
        ? make("span", { class: "soft" }, WORDS[event.kind])
        : make("button", { class: "plain", onclick: () => onnode(event.row) }, make("bdi", { class: "cut" }, event.name)),
      event.label === null
        ? make("span", { class: "soft small" }, WORDS[event.kind])
        : make("span", { class: "small which" }, chip(code(event.label)), make("bdi", { class: "cut" }, event.label)),
    ),
  );
  replace(byId("recent"), ...(rows.length ? rows : [make("li", { class: "soft" }, "Nothing yet.")]));
}
