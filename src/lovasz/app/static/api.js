// Talking to the server: every request carries the token, in a header.

const parameters = new URLSearchParams(location.search);
if (parameters.has("once")) {
  // The browser was started with an address that others on this machine can see in the list of
  // processes. It carries a code that is good for one exchange.
  const response = await fetch("/enter", { method: "POST", body: JSON.stringify({ once: parameters.get("once") }), credentials: "omit" });
  if (response.ok) sessionStorage.setItem("token", (await response.json()).token);
}
if (parameters.has("token")) sessionStorage.setItem("token", parameters.get("token"));
if (parameters.size) {
  // The address bar, the history and screenshots need not show the token.
  history.replaceState(null, "", "/");
}
export const token = sessionStorage.getItem("token") ?? "";
// A name for this window, as long as it is not loaded again. Undo takes back what this window
// did, or windows that are gone.
export const client = crypto.getRandomValues(new Uint32Array(2)).join("-");

const REFUSED = 403;

export class Problem extends Error {
  constructor(message, refused = false) {
    super(message);
    this.refused = refused;
  }
}

export async function get(path, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return answer(await send(`/api/${path}${query ? `?${query}` : ""}`, {}));
}

export async function post(path, content = {}) {
  const body = JSON.stringify({ client, ...content });
  const headers = { "content-type": "application/json" };
  return answer(await send(`/api/${path}`, { method: "POST", body, headers }));
}

export async function text(path) {
  return (await send(`/api/${path}`, {})).text();
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, {
      ...options,
      headers: { ...options.headers, "x-lovasz-token": token },
      credentials: "omit",
      cache: "no-store",
    });
  } catch {
    throw new Problem("The server does not answer. Is `lovasz label` still running?");
  }
  if (response.status === REFUSED) {
    throw new Problem(
      "This window does not belong to the running server. Open the address that `lovasz label` printed.",
      true,
    );
  }
  return response;
}

async function answer(response) {
  const content = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(content.problem ?? `The server failed (${response.status}).`);
  return content;
}

// Server-sent events over fetch, because EventSource cannot send a header. It goes on until the
// server refuses; `lost` is called when the connection breaks.
export async function listen(handlers, lost) {
  for (let wait = 250; ; wait = Math.min(2 * wait, 4000)) {
    try {
      const response = await send(`/api/events?client=${encodeURIComponent(client)}`, {});
      if (!response.ok || !response.body) throw new Problem("The server sends no events.");
      wait = 250;
      await read(response.body.pipeThrough(new TextDecoderStream()).getReader(), handlers);
      lost(new Problem("The connection to the server has ended; trying again."));
    } catch (problem) {
      lost(problem instanceof Problem ? problem : new Problem("The connection broke; trying again."));
      if (problem.refused) return;
    }
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function read(reader, handlers) {
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value;
    const messages = waiting.split("\n\n");
    waiting = messages.pop();
    for (const message of messages) {
      const fields = Object.fromEntries(
        message.split("\n").filter((line) => !line.startsWith(":")).map((line) => {
          const place = line.indexOf(": ");
          return [line.slice(0, place), line.slice(place + 2)];
        }),
      );
      if (fields.event && fields.data) handlers[fields.event]?.(JSON.parse(fields.data));
    }
  }
}
