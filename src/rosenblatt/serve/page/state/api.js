// Requests to the service, with the token of this tab.

const TOKEN = "rosenblatt-token";

/** An answer that refuses a request. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Returns the token of this tab, or null. */
export function token() {
  return sessionStorage.getItem(TOKEN);
}

/** Keeps a token for this tab; null forgets it. */
export function keepToken(text) {
  if (text === null) sessionStorage.removeItem(TOKEN);
  else sessionStorage.setItem(TOKEN, text);
}

/** Returns the value that the service answers with. */
export async function ask(method, path, value) {
  const answer = await send(method, path, value === undefined ? {} : { body: JSON.stringify(value) });
  return answer.json();
}

/** Yields the values of server-sent events; ends when the service ends them. */
export async function* events(path, signal) {
  const answer = await send("GET", path, { signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part.slice("data: ".length));
  }
}

/** Returns the path of a model. */
export function modelPath(name) {
  return `/v1/models/${encodeURIComponent(name)}`;
}

async function send(method, path, options) {
  const headers = token() === null ? {} : { Authorization: `Bearer ${token()}` };
  const answer = await fetch(path, { method, headers, cache: "no-store", ...options });
  if (answer.ok) return answer;
  const fault = await answer.json().catch(() => ({ detail: answer.statusText }));
  throw new Refused(answer.status, fault.detail);
}
