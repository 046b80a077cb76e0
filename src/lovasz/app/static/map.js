// The map of the graph, drawn by the viewer that all pages share.

import { get } from "./api.js";
import { byId } from "./dom.js";

let viewer = null;
let rows = null; // row of each drawn node, if the graph is too large to be drawn as a whole
let busy = false;
let again = false;
let shown; // the row that the card shows

// Draw labels and answers as they are now; `onnode(row)` is called when a node is clicked.
export async function updateMap(onnode) {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const partial = viewer !== null && rows === null;
    const data = await get("map", partial ? { part: 1 } : {});
    rows = data.rows ?? null;
    if (viewer === null) {
      const onpin = (place) => place !== null && rowAt(place) !== shown && onnode(rowAt(place));
      viewer = new LovaszViewer(byId("map"), data, { onpin });
      if (shown !== undefined) focusMap(shown);
    } else {
      viewer.update(data);
    }
  } catch {
    // The next state event draws it again.
  } finally {
    busy = false;
    if (again) {
      again = false;
      updateMap(onnode);
    }
  }
}

const rowAt = (place) => (rows === null ? place : rows[place]);

export function focusMap(row) {
  shown = row;
  const place = rows === null ? row : rows.indexOf(row);
  if (place >= 0) viewer?.focus(place);
}
