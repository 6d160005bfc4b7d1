// The page of the service: follows one model, and shows what it does.

import { byId, el } from "../../utils/drawing/dom.js";
import { ask, events, modelPath } from "./state/api.js";
import { Rates } from "./state/rates.js";
import { strings } from "./strings.js";
import { confusionCard } from "./view/confusion.js";
import { examplesCard } from "./view/examples.js";
import { featuresCard } from "./view/features.js";
import { buildBar, noModels, serviceHeading, setFault, setModels, setStatus } from "./view/frame.js";
import { historyCard } from "./view/history.js";
import { latencyCard } from "./view/latency.js";
import { progressCard } from "./view/progress.js";
import { shadowsCard } from "./view/shadows.js";
import { modelTiles, serviceTiles } from "./view/tiles.js";
import { askToken } from "./view/token.js";

const PAUSE = 1000; // milliseconds before the service is asked again

const columns = [
  { id: "top", cards: [modelTiles()] },
  { id: "wide", cards: [progressCard(), examplesCard()] },
  { id: "narrow", cards: [confusionCard(), featuresCard(), historyCard()] },
  { id: "bottom", cards: [shadowsCard()] },
  { id: "service", cards: [serviceHeading(), serviceTiles(), latencyCard()] },
];
const cards = columns.flatMap((column) => column.cards);
const rates = new Rates();
let following = new AbortController();

buildBar();
setStatus("waiting");
addEventListener("hashchange", () => following.abort());
run();

/** Follows the chosen model, as long as the page is open. */
async function run() {
  for (;;) {
    following = new AbortController();
    try {
      const { models } = await ask("GET", "/v1/models");
      const name = chosen(models);
      setModels(models.map(inShort), name);
      setStatus("live");
      if (name === null) showEmpty();
      else await follow(name);
    } catch (error) {
      if (error.status === 401 || error.status === 403) {
        setStatus("needsToken");
        await askToken(error.status === 403 ? error.message : strings.tokenWrong);
        continue;
      }
      if (!following.signal.aborted) setStatus("waiting");
    }
    if (!following.signal.aborted) await new Promise((done) => setTimeout(done, PAUSE));
  }
}

/** Returns the name in the address, or that of the first model, or null. */
function chosen(models) {
  const asked = location.hash.slice(1);
  const named = models.find((model) => encodeURIComponent(model.name) === asked);
  return (named ?? models[0])?.name ?? null;
}

function inShort({ name, examples, error, alarms }) {
  return { name, examples, error, alarms: alarms.length };
}

async function follow(name) {
  for await (const facts of events(`${modelPath(name)}/stream`, following.signal)) {
    if (following.signal.aborted) return;
    setStatus("live");
    setModels(facts.models, name);
    setFault(faultOf(facts));
    rates.add(facts.service);
    showCards();
    for (const card of cards) card.update(facts, rates);
  }
}

function faultOf({ service, model }) {
  if (service.failed !== null) return strings.diskFails(service.failed);
  return model.overflow === null ? null : strings.overflowed(model.overflow);
}

function showCards() {
  if (byId("tiles")) return;
  const parts = columns.map(({ id, cards: own }) => el("div", { id }, ...own.map((c) => c.element)));
  byId("panel").replaceChildren(...parts);
}

function showEmpty() {
  if (!byId("empty")) byId("panel").replaceChildren(noModels());
}
