// A message at the foot of the page, for some seconds.

import { byId, el } from "../../../utils/drawing/dom.js";

const SECONDS = 6;

/** Shows what went wrong. */
export function showFault(text) {
  const message = el("p", { textContent: text });
  byId("messages").append(message);
  setTimeout(() => message.remove(), 1000 * SECONDS);
}
