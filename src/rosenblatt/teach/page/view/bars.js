// A chart of bars: votes of weight vectors, distances of points, wrong points after each mistake.

import { svg } from "../../../utils/drawing/dom.js";
import { grouped, number } from "../state/format.js";
import { theme } from "../state/look.js";

const BAR_SIDES = { left: 44, right: 12, top: 12, bottom: 42 };

/** The most bars; of more, the last ones are shown. */
export const MOST = 60;

/**
 * Returns a chart of a size.
 * @param {{value: number, look: string}[]} bars their classes: positive, negative, or others of a block
 * @param {{from?: number, level?: number, axis: string, label: string}} about the number of the
 *   first bar, a height that a line marks, the words below, and those for screen readers
 */
export function barChart(bars, { from = 1, level, axis, label }, { width, height }) {
  const shown = bars.slice(-MOST);
  const first = from + bars.length - shown.length;
  const values = [...shown.map(({ value }) => value), level ?? 0, 0];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const step = (width - BAR_SIDES.left - BAR_SIDES.right) / Math.max(8, shown.length);
  const room = height - BAR_SIDES.top - BAR_SIDES.bottom;
  const y = (value) => BAR_SIDES.top + (room * (high - value)) / (high - low || 1);
  const x = (k) => BAR_SIDES.left + k * step;
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const words = (text, at, look = {}) =>
    chart.append(svg("text", { x: at[0], y: at[1], class: "small", ...look }, text));
  shown.forEach(({ value, look }, k) => {
    const ends = [y(value), y(0)].sort((a, b) => a - b);
    const size = { x: x(k) + step * 0.1, width: step * 0.8, y: ends[0], height: ends[1] - ends[0] };
    chart.append(svg("rect", { ...size, class: `block ${look}` }));
  });
  const across = (value) => `M${BAR_SIDES.left} ${y(value)}H${width - BAR_SIDES.right}`;
  chart.append(svg("path", { d: across(0), class: "axis" }));
  if (level !== undefined) chart.append(svg("path", { d: across(level), class: "line floor" }));
  const every = Math.ceil((theme().small * 2.2) / step);
  for (let k = 0; k < shown.length; k += every)
    words(grouped(first + k), [x(k) + step / 2, height - 24], { "text-anchor": "middle" });
  for (const value of new Set([high, low, level ?? high]))
    words(number(value), [BAR_SIDES.left - 6, y(value) + 4], { "text-anchor": "end" });
  words(axis, [BAR_SIDES.left, height - 6]);
  return chart;
}
