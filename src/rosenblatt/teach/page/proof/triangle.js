// The triangle of an update, in true lengths: w, then y x at its angle, and w′ that closes it.

import { linePath, svg } from "../../../utils/drawing/dom.js";
import { fractionAsFloat } from "../engine/fractions.js";
import { stepNow } from "../state/proof.js";
import { strings } from "../strings.js";

/** Room around the triangle for its names, in pixels. */
const ROUND = 30;

/** Returns the triangle as a group of a chart; the dashed one has the right angle. */
export function updateTriangle(model, { left, width, height }) {
  const [before, twice, added] = stepNow(model).split.map(fractionAsFloat);
  const [w, x] = [Math.sqrt(before), Math.sqrt(added)];
  const cosine = w > 0 && x > 0 ? Math.max(-1, twice / (2 * w * x)) : 0;
  const sine = Math.sqrt(Math.max(0, 1 - cosine * cosine));
  const [origin, tip] = [
    [0, 0],
    [w, 0],
  ];
  const end = [w + x * cosine, x * sine];
  const right = [w, x];
  const corners = [origin, tip, end, right];
  const low = [0, 1].map((k) => Math.min(...corners.map((corner) => corner[k])));
  const span = [0, 1].map((k) => Math.max(...corners.map((corner) => corner[k])) - low[k]);
  const scale = Math.min((width - 2 * ROUND) / (span[0] || 1), (height - 2 * ROUND) / (span[1] || 1));
  const place = (corner) => [
    left + ROUND + (width - 2 * ROUND - scale * span[0]) / 2 + scale * (corner[0] - low[0]),
    height - ROUND - (height - 2 * ROUND - scale * span[1]) / 2 - scale * (corner[1] - low[1]),
  ];
  const group = svg("g", { class: "triangle" });
  const line = (from, to, kind, part) => {
    const d = linePath([from, to].map(place));
    group.append(svg("path", { class: kind, d, "data-part": part }));
  };
  const name = (text, from, to, [dx, dy], kind) => {
    const [a, b] = [place(from), place(to)];
    const at = { x: (a[0] + b[0]) / 2 + dx, y: (a[1] + b[1]) / 2 + dy, class: kind };
    group.append(svg("text", { ...at, "text-anchor": "middle" }, text));
  };
  if (w > 0) line(tip, right, "ghost", "last");
  line(origin, right, "ghost", "most");
  line(origin, tip, "side w", "before");
  line(tip, end, "side x", "last");
  line(origin, end, "side after", "length");
  if (w > 0) name("w", origin, tip, [0, 18], "w");
  name(strings.stepName(model.run.conventions.eta), tip, right, [16, 4], "x"); // clear of the dashed side
  name("w′", origin, end, [-12, -8], "after");
  return group;
}
