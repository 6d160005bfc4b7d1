// What stands around the panel: the bar, the list of models, the page without a model.

import { byId, el, setText, svg } from "../../../utils/drawing/dom.js";
import { keepToken, token } from "../state/api.js";
import { strings } from "../strings.js";

/** Fills the bar. */
export function buildBar() {
  const forget = el("button", { id: "forget", type: "button", textContent: strings.forget });
  forget.hidden = true;
  forget.addEventListener("click", () => {
    keepToken(null);
    location.reload();
  });
  byId("bar").append(
    el("h1", {}, mark(), strings.brand),
    el("p", { id: "model-name" }),
    el("p", { id: "fault", role: "alert", hidden: true }),
    forget,
    el("p", { id: "status" }, el("span", { className: "dot", "aria-hidden": "true" }), el("span", {})),
  );
}

/** Returns the mark: two classes, and a line between them. */
function mark() {
  return svg(
    "svg",
    { viewBox: "0 0 20 20", "aria-hidden": "true" },
    svg("circle", { class: "less", cx: 5, cy: 6, r: 3 }),
    svg("circle", { class: "more", cx: 15, cy: 14, r: 3 }),
    svg("line", { x1: 3, y1: 17, x2: 17, y2: 3 }),
  );
}

/** Says how the page stands with the service: "live", "waiting", or "needsToken". */
export function setStatus(state) {
  byId("status").className = state;
  setText(byId("status").lastElementChild, strings[state]);
  byId("forget").hidden = token() === null;
  document.body.classList.toggle("stale", state !== "live");
}

/** Says why the disk refuses examples, while it does. */
export function setFault(fault) {
  byId("fault").hidden = fault === null;
  setText(byId("fault"), fault ?? "");
}

/** Shows the list of models, and which one the panel shows. */
export function setModels(models, chosen) {
  const list = byId("models");
  const names = models.map((model) => model.name).join("\n");
  if (list.dataset.names !== names) {
    list.dataset.names = names;
    list.replaceChildren(...models.map(modelLink));
  }
  models.forEach((model, i) => {
    const link = list.children[i];
    if (model.name === chosen) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    setText(link.querySelector(".note"), strings.inShort(model));
    link.querySelector(".warning").hidden = !model.alarms;
  });
  setText(byId("model-name"), chosen ?? "");
  document.title = chosen ? `${chosen} · ${strings.brand}` : strings.brand;
}

function modelLink({ name }) {
  return el(
    "a",
    { href: `#${encodeURIComponent(name)}` },
    el("span", { className: "name", textContent: name }),
    el("span", { className: "warning", role: "img", "aria-label": strings.alarm, title: strings.alarm }),
    el("span", { className: "note" }),
  );
}

/** Returns the heading above what is of all models together. */
export function serviceHeading() {
  const element = el(
    "div",
    { className: "head" },
    el("h2", { textContent: strings.service }),
    el("p", { className: "note", textContent: strings.serviceNote }),
  );
  return { element, update: () => {} };
}

/** Returns what the panel shows while there is no model. */
export function noModels() {
  const at = location.origin;
  const lines = [
    `curl ${at}/v1/models -d '{"name": "mail"}'`,
    `curl ${at}/v1/models/mail/learn -d '{"features": "win a prize", "label": "spam"}'`,
    `curl ${at}/v1/models/mail/learn -d '{"features": "lunch on Monday?", "label": "ham"}'`,
  ];
  return el(
    "section",
    { id: "empty", className: "card" },
    el("h2", { textContent: strings.noModels }),
    el("p", { textContent: strings.createFirst }),
    el("pre", { tabIndex: 0, textContent: lines.join("\n") }),
  );
}
