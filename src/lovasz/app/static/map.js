// The map of the graph, drawn by the viewer that all pages share.

import { get } from "./api.js";
import { byId } from "./dom.js";

let viewer = null;
let busy = false;
let again = false;

export async function updateMap(onnode) {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  try {
    const data = await get("map");
    if (!window.LovaszViewer || !data) return;
    if (viewer === null) {
      viewer = new window.LovaszViewer(byId("map"), data, { onselect: (nodes) => nodes.length === 1 && onnode(nodes[0]) });
    } else {
      viewer.update(data);
    }
  } finally {
    busy = false;
    if (again) {
      again = false;
      updateMap(onnode);
    }
  }
}

export function focusMap(row) {
  viewer?.focus(row);
}
