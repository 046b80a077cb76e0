// The work loop: show a node, take its class, show the next one. What other windows and the
// training do arrives as events.

import { client, get, listen, post, text, token } from "./api.js";
import { showCard, showEvidence } from "./card.js";
import { showCurve } from "./curve.js";
import { byId, count, make, percent, replace } from "./dom.js";
import { focusMap, updateMap } from "./map.js";
import { KEYS, showClasses, showCounts, showDoubts, showProgress, showQueue, showRecent, showTraining } from "./panels.js";

const FEWEST_TO_JUDGE = 20;
const TOAST_MS = 3500;
const EARLIER = "it was suggested before the model learned the last labels";

let state = null;
let card; // undefined until the first node is here, null if none is left
let busy = false;
let drawn = { version: -1, answer: undefined };

const code = (name) => (state ? state.classes.findIndex((entry) => entry.name === name) : -1);

function say(message) {
  replace(byId("said"), message);
}

let toastTimer;
function toast(...content) {
  const box = byId("toast");
  replace(box, ...content);
  box.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.classList.remove("shown"), TOAST_MS);
}

function notice(message) {
  byId("notice").hidden = !message;
  replace(byId("notice"), message ?? "");
}

// Run one action at a time: a key that is pressed before the next node is here must not label it.
async function act(action) {
  if (busy) return;
  busy = true;
  document.body.classList.add("busy");
  try {
    await action();
    notice(null);
  } catch (problem) {
    notice(problem.message);
  } finally {
    busy = false;
    document.body.classList.remove("busy");
  }
}

function setCard(next) {
  const moved = card === undefined || next?.row !== card?.row;
  card = next;
  byId("work").dataset.row = next === null ? "" : next.row;
  const evidence = moved ? [] : [...(byId("evidence")?.childNodes ?? [])];
  showCard(byId("card"), byId("details"), card, code, choose);
  byId("evidence")?.append(...evidence); // until that of the new answer is here
  showClasses(state?.classes ?? [], card?.label, label);
  for (const id of ["cannot", "skip"]) byId(id).disabled = card === null;
  if (moved && card) {
    const guess = card.answers[0];
    say(`Node ${card.name}. ${guess ? `The model says ${guess.class}, ${percent(guess.p)}.` : ""}`);
    focusMap(card.row);
  }
  if (card && card.answers.length) explain(card.row);
}

async function explain(row) {
  const found = await get("explain", { row }).catch(() => null);
  if (card?.row === row && byId("evidence")) showEvidence(byId("evidence"), found?.explanation, choose);
}

const label = (name) =>
  act(async () => {
    if (!card) return;
    const { row, name: node } = card;
    const { card: next } = await post("label", { row, class: name });
    toast(make("bdi", {}, node), " → ", make("bdi", {}, name));
    setCard(next);
  });

const pass = (how) =>
  act(async () => {
    if (!card) return;
    const { card: next } = await post(how, { row: card.row });
    toast(how === "skip" ? "Skipped; it will come again." : "Set aside.");
    setCard(next);
  });

const undo = () =>
  act(async () => {
    const { card: next, undone } = await post("undo");
    toast(`Took back ${undone}.`);
    setCard(next);
  });

const choose = (row) =>
  act(async () => {
    setCard((await post("show", { row })).card);
  });

// A click in the map puts the node on the card, without scrolling away from the map.
function chooseOnMap(row) {
  if (row === card?.row) return;
  choose(row);
  toast("Now on the card above; a class key labels it.");
}

const goOn = () => act(async () => setCard((await post("next")).card));

const accept = (row, name) =>
  act(async () => {
    await post("label", { row, class: name });
    toast("Changed to ", make("bdi", {}, name));
    if (card) setCard((await post("show", { row: card.row })).card);
  });

function setState(next) {
  const before = state;
  state = { ...state, ...next };
  document.title = `${state.labelled} labelled – ${state.title}`;
  replace(byId("title"), state.title);
  replace(byId("file"), state.file);
  showCounts(state);
  showClasses(state.classes, card?.label, label);
  showTraining(state.training, state.labelled);
  showCurve(byId("curve"), state, FEWEST_TO_JUDGE);
  showQueue(state.queue, code, choose);
  showDoubts(state.doubts, code, choose, accept);
  showRecent(state.recent, code, choose);
  if (drawn.version !== state.version || drawn.answer !== state.training.version) {
    drawn = { version: state.version, answer: state.training.version };
    updateMap(chooseOnMap);
  }
  if (busy) return;
  if (!card && state.queue.length) goOn();
  else if (card && before && changedSince(before)) refresh();
}

const changedSince = (before) => before.version !== state.version || before.training.version !== state.training.version;

// Show the same node with what is known of it and its neighbours now. It must not hold up a key.
let refreshing = 0;
async function refresh() {
  const number = ++refreshing;
  const { row, reason } = card;
  const found = await get("card", { row }).catch(() => null);
  if (found === null || busy || number !== refreshing || card?.row !== row) return;
  // A reason quotes the model, so that of an earlier model would contradict the answers below it.
  setCard({ ...found.card, reason: found.card.reason || (reason?.startsWith("the model") ? EARLIER : reason) });
}

function onkey(event) {
  if (event.ctrlKey && event.key === "z" && !isTyping(event.target)) {
    event.preventDefault();
    undo();
    return;
  }
  if (event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape") document.activeElement?.blur();
  if (isTyping(event.target)) return;
  const number = KEYS.indexOf(event.key);
  const action = { s: () => pass("skip"), c: () => pass("cannot"), u: undo, n: () => byId("new-name").focus(), "/": () => document.querySelector("#map input[type=search]")?.focus() }[event.key];
  if (action) action();
  else if (number >= 0 && state && number < state.classes.length) label(state.classes[number].name);
  else return;
  event.preventDefault();
}

const isTyping = (element) => element.matches?.("input, textarea, select, [contenteditable]") ?? false;

function onnew(event) {
  event.preventDefault();
  const name = byId("new-name").value.trim();
  if (!name) return;
  byId("new-name").value = "";
  byId("new-name").blur();
  if (card) label(name);
  else act(() => post("class", { class: name }));
}

const importFile = (file) =>
  act(async () => {
    const { read, news } = await post("import", { text: await file.text() });
    toast(`${count(read, "label")} read, ${news} of them new or changed.`);
  });

const exportFile = () =>
  act(async () => {
    const content = new Blob([await text("export")], { type: "text/csv" });
    const address = URL.createObjectURL(content);
    make("a", { href: address, download: `${state.title.replace(/\.[^.]*$/, "")}-labels.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  });

function start() {
  if (!token) {
    byId("wait").hidden = true;
    notice("Open the address that `lovasz label` printed in the terminal; it carries the key to this page.");
    return;
  }
  byId("window").href = `/?token=${encodeURIComponent(token)}`;
  document.addEventListener("keydown", onkey);
  byId("new").addEventListener("submit", onnew);
  byId("cannot").addEventListener("click", () => pass("cannot"));
  byId("skip").addEventListener("click", () => pass("skip"));
  byId("undo").addEventListener("click", undo);
  byId("export").addEventListener("click", exportFile);
  byId("import").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) importFile(file);
    event.target.value = "";
  });
  listen(
    {
      state: (next) => {
        notice(null);
        setState(next);
      },
      progress: ({ share }) => {
        if (state) state.training.share = share;
        showProgress(share);
      },
    },
    (problem) => {
      notice(problem.message);
      if (problem.refused && byId("wait")) byId("wait").hidden = true;
    },
  );
}

start();
