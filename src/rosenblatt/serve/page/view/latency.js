// How long requests and commits took in the last minute.

import { el, svg } from "../../../utils/drawing/dom.js";
import { rate, seconds } from "../state/format.js";
import { strings } from "../strings.js";
import { card, tableRow } from "./card.js";

const [WIDTH, HEIGHT, GAP] = [120, 22, 2];

/** Returns the card of latencies. */
export function latencyCard() {
  const body = el("tbody", {});
  const heads = [strings.kind, strings.median, strings.slowest, strings.spread];
  const table = el("table", {}, el("thead", {}, tableRow(heads, { header: true })), body);
  const commits = el("p", { className: "note" });
  const { element } = card("latency", strings.latency, strings.latencyNote, table, commits);
  const update = (facts, rates) => {
    const { bounds } = facts.service;
    body.replaceChildren(
      ...Object.entries(strings.kinds).map(([kind, name]) =>
        tableRow([
          name,
          seconds(rates.quantile(kind, 0.5)),
          seconds(rates.quantile(kind, 0.99)),
          spread(rates.spread(kind), bounds),
        ]),
      ),
    );
    commits.textContent = commitWords(rates);
  };
  return { element, update };
}

function commitWords(rates) {
  const [each, requests] = [rates.slowRate("commits"), rates.slowRate("commit_requests")];
  return each ? strings.commits(rate(requests / each), rate(each)) : strings.noCommits;
}

/** Returns columns of the numbers between bounds. */
function spread(counts, bounds) {
  const most = Math.max(1, ...counts);
  const step = WIDTH / counts.length;
  const drawing = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "spread",
    role: "img",
    "aria-label": strings.spreadWords([seconds(bounds[0]), seconds(bounds.at(-1))]),
  });
  counts.forEach((n, i) => {
    const tall = n ? Math.max(2, (HEIGHT * n) / most) : 1;
    const place = { x: i * step, y: HEIGHT - tall, width: step - GAP, height: tall };
    drawing.append(svg("rect", { class: n ? "some" : "none", ...place }));
  });
  return drawing;
}
