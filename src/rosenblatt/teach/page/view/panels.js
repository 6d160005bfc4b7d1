// The tabs under This step.

import { byId, el } from "../../../utils/drawing/dom.js";
import { ALWAYS, hiddenTabs, isExercise, openTab } from "../state/model.js";
import { strings } from "../strings.js";

/**
 * Builds the tabs.
 * @param {Model} model
 * @param {Record<string, function(Model, HTMLElement): function(): void>} builders one a tab
 */
export function buildPanels(model, builders) {
  const bar = el("div", { id: "tabs", role: "tablist", "aria-label": strings.panels });
  const frame = byId("panels");
  frame.append(bar);
  const entries = Object.entries(builders).map(([name, build]) => {
    const tab = el("button", {
      id: `tab-${name}`,
      role: "tab",
      "aria-controls": `panel-${name}`,
      textContent: strings.tabs[name],
      onclick: () => model.set({ tab: name }),
    });
    const panel = el("div", {
      id: `panel-${name}`,
      className: "panel",
      role: "tabpanel",
      tabIndex: 0,
      "aria-labelledby": `tab-${name}`,
    });
    bar.append(tab);
    frame.append(panel);
    return { name, tab, panel, render: build(model, panel) };
  });
  bar.addEventListener("keydown", (event) => moveFocus(event, entries, model));
  return () => {
    const hidden = hiddenTabs(model.fields);
    const open = openTab(model.fields);
    frame.hidden = open === null;
    for (const { name, tab, panel } of entries) {
      const chosen = name === open;
      tab.hidden = hidden.includes(name) || (!ALWAYS.includes(name) && !chosen && !isWanted(name, model));
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      panel.hidden = !chosen;
      if (isExercise(model.fields) && hidden.includes(name)) panel.remove(); // it has told what is asked
      else if (!panel.isConnected) frame.append(panel);
    }
    entries.find(({ name }) => name === open)?.render(); // it measures its panel: the others are hidden
  };
}

/** Returns whether there is something behind a tab; exercises are offered where a lesson leaves the menus. */
function isWanted(name, model) {
  const { beyond, building } = model.fields;
  if (name === "exercise") return isExercise(model.fields) || !model.isLocked("more");
  return (name === "beyond" && beyond !== "none") || (name === "lesson" && building);
}

function moveFocus(event, entries, model) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const shown = entries.filter(({ tab }) => !tab.hidden);
  const at = shown.findIndex(({ tab }) => tab === event.target);
  if (at < 0) return;
  event.preventDefault();
  const { name, tab } = shown[(at + step + shown.length) % shown.length];
  model.set({ tab: name });
  tab.focus();
}
