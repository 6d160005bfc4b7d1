// The question for the token.

import { el } from "../../../utils/drawing/dom.js";
import { keepToken, token } from "../state/api.js";
import { strings } from "../strings.js";

/** Asks for the token, and keeps it for this tab; says why the one before was refused. */
export function askToken(why) {
  const refused = token() !== null;
  keepToken(null);
  const input = el("input", {
    id: "token",
    type: "password",
    required: true,
    autocomplete: "off",
    spellcheck: false,
  });
  const form = el(
    "form",
    {},
    el("h2", { id: "token-title", textContent: strings.tokenTitle }),
    el("p", { textContent: strings.tokenNote }),
    refused ? el("p", { className: "bad", role: "alert", textContent: why }) : null,
    el("label", { for: "token", textContent: strings.tokenLabel }),
    el("div", { className: "row" }, input, el("button", { className: "main", textContent: strings.open })),
  );
  const dialog = el("dialog", { "aria-labelledby": "token-title" }, form);
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      keepToken(input.value.trim());
      dialog.remove();
      resolve();
    });
  });
}
