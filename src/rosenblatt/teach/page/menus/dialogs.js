// Dialogs: help, points as text, share; and short messages.

import { byId, el } from "../../../utils/drawing/dom.js";
import { isLocal } from "../state/address.js";
import { strings } from "../strings.js";
import { signList } from "./signs.js";
import { readPoints, TextError, writePoints } from "../state/paste.js";

const MESSAGE_MS = 5000;
let messageTimer = 0;

/** Shows a short message at the foot of the page. */
export function say(words, bad = false) {
  const box = byId("messages");
  box.replaceChildren(el("p", { className: bad ? "bad" : "", textContent: words }));
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => box.replaceChildren(), MESSAGE_MS);
}

/** Opens a dialog with a title and contents; it goes when it is closed. */
function openDialog(title, ...contents) {
  document.querySelector("dialog")?.close();
  const close = el("button", {
    className: "close",
    "aria-label": strings.close,
    title: strings.close,
    textContent: "✕",
    onclick: () => dialog.close(),
  });
  const dialog = el(
    "dialog",
    { "aria-labelledby": "dialog-title" },
    el("h2", { id: "dialog-title", textContent: title }),
    close,
    ...contents,
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Opens the help: the keys, and how points are edited. */
export function openHelp() {
  const rows = strings.keys.map(([keys, words]) =>
    el(
      "tr",
      {},
      el(
        "th",
        { scope: "row" },
        ...keys.split(" ").flatMap((key) => [el("kbd", { textContent: key }), " "]),
      ),
      el("td", { textContent: words }),
    ),
  );
  const table = el("table", { className: "keys" }, el("tbody", {}, ...rows));
  openDialog(
    strings.helpTitle,
    table,
    el("h3", { textContent: strings.signsTitle }),
    signList(),
    el("p", { textContent: strings.helpEditing }),
    el("p", { textContent: strings.helpExact }),
  );
}

/** Opens the points as text, which can be changed. */
export function openText(model, load) {
  const area = el("textarea", {
    rows: 12,
    cols: 24,
    spellcheck: false,
    value: writePoints(model.fields, strings.textFaults),
    "aria-label": strings.asText,
  });
  const fault = el("p", { className: "bad", role: "alert" });
  const take = () => {
    const read = readOrSay(area.value, (words) => (fault.textContent = words));
    if (!read) return;
    load(read);
    dialog.close();
  };
  const dialog = openDialog(
    strings.asText,
    el("p", { textContent: strings.textHint }),
    area,
    fault,
    el("button", { className: "main", textContent: strings.take, onclick: take }),
  );
}

/** Reads points from text, or tells what is wrong with it. */
function readOrSay(text, tell = (words) => say(words, true)) {
  try {
    return readPoints(text, strings.textFaults);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    tell(error.message);
    return null;
  }
}

/** Connects pasting and dropping of points; `load` takes what was read. */
export function connectPaste(model, load) {
  document.addEventListener("paste", (event) => {
    if (event.target.matches?.("input, textarea") || tellsLock(model)) return;
    const read = readOrSay(event.clipboardData?.getData("text/plain") ?? "");
    if (read) load(read);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    if (tellsLock(model)) return;
    const file = event.dataTransfer?.files[0];
    const read = readOrSay(
      file ? await file.text() : (event.dataTransfer?.getData("text/plain") ?? ""),
    );
    if (read) load(read);
  });
}

/** Returns whether the points are locked, and says so. */
function tellsLock(model) {
  const isLocked = model.isLocked("editing");
  if (isLocked) say(strings.pointsLocked, true);
  return isLocked;
}

/** Opens the link of the page, to copy; `save`, if not null, saves the page as a file. */
export function openShare(link, save) {
  const field = el("input", {
    type: "text",
    readOnly: true,
    value: link,
    "aria-label": strings.link,
  });
  const copy = el("button", {
    className: "main",
    textContent: strings.copy,
    onclick: async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(link);
        say(strings.copied);
      } catch {
        say(strings.copyByHand);
      }
    },
  });
  const local = el("p", { id: "local-link", className: "warning", textContent: strings.localLink });
  const file = el("button", {
    id: "save-page",
    textContent: strings.saveLesson,
    hidden: save === null,
    onclick: save,
  });
  openDialog(
    strings.shareTitle,
    el("p", { textContent: strings.shareHint }),
    el("div", { className: "row" }, field, copy),
    ...(isLocal(location) ? [local, file] : []),
  );
  field.select();
}
