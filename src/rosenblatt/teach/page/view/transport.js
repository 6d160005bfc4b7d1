// The transport: buttons, a scrubber with a tick per mistake and a bar per epoch, and the speed.

import { mistakesBefore } from "../engine/run.js";
import { count } from "../state/format.js";
import { byId, el } from "../../../utils/drawing/dom.js";
import { canvasContext, theme } from "../state/look.js";
import { icon } from "../state/icons.js";
import { strings } from "../strings.js";

/** Half of the width of the scrubber's handle, in pixels: its ends stand that far inside. */
const INSET = 8;

/** Builds the transport; `act` has the functions first, back, toggle, forward, last. */
export function buildTransport(model, act) {
  const button = (name, run) =>
    el(
      "button",
      {
        id: `go-${name}`,
        className: "round",
        title: strings[name],
        "aria-label": strings[name],
        onclick: run,
      },
      icon(name),
    );
  const play = button("play", act.toggle);
  const scrubber = el("input", {
    id: "scrubber",
    type: "range",
    min: 0,
    "aria-label": strings.scrubber,
    oninput: () => act.scrub(Number(scrubber.value)),
  });
  const ticks = el("canvas", { id: "ticks", "aria-hidden": "true" });
  const speed = el("select", { id: "speed", "aria-label": strings.speed, title: strings.speed });
  for (const [value, words] of Object.entries(strings.speeds))
    speed.append(el("option", { value, textContent: words }));
  speed.addEventListener("change", () => model.set({ speed: Number(speed.value) }));
  byId("transport").append(
    button("first", act.first),
    button("back", act.back),
    play,
    button("forward", act.forward),
    button("last", act.last),
    el("div", { className: "track" }, ticks, scrubber),
    speed,
  );
  return () => {
    const { run, t, looks, fields } = model;
    scrubber.max = looks;
    scrubber.value = t;
    speed.value = String(fields.speed);
    const words = strings.scrubberText(t, looks, count(mistakesBefore(run, t), "mistake"));
    scrubber.setAttribute("aria-valuetext", words);
    const name = fields.playing ? "pause" : "play";
    if (!play.querySelector(`.icon-${name}`)) play.replaceChildren(icon(name));
    play.title = strings[name];
    play.setAttribute("aria-label", strings[name]);
    drawTicks(ticks, run, looks, model.told);
  };
}

/** Draws a tick per mistake before a look, and a bar per epoch. */
function drawTicks(canvas, run, looks, end) {
  const { context, width, height } = canvasContext(canvas);
  const colours = theme();
  const at = (t) => INSET + ((width - 2 * INSET) * t) / Math.max(1, looks);
  const starts = [...run.epochStarts, looks];
  if (run.conventions.pick === "every" && starts.length < width / 4) {
    for (let k = 0; k + 1 < starts.length; k++) {
      context.fillStyle = k % 2 ? colours.pale : colours.grid;
      context.fillRect(at(starts[k]), height - 7, at(starts[k + 1]) - at(starts[k]), 7);
    }
  }
  context.fillStyle = colours.wrong;
  let previous = -1;
  run.wrong.slice(0, end).forEach((wrong, t) => {
    const x = Math.round(at(t));
    if (!wrong || x === previous) return;
    previous = x;
    context.fillRect(x - 1, 1, 2, 11);
  });
}
