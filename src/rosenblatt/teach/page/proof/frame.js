// The frame of a chart of the tab Proof.

import { el } from "../../../utils/drawing/dom.js";
import { sizeOf, theme } from "../state/look.js";

/** The least width and height of a chart, in pixels. */
const LEAST = 40;

/**
 * Builds the frame of a chart. `show(draw, ...about)` draws the chart where its size, or one of what
 * it is about, is another. Else it stays: an element that goes while a button is down gets no click.
 */
export function buildFrame(className) {
  const element = el("div", { className });
  let shown = [];
  const show = (draw, ...about) => {
    const { width, height } = sizeOf(element);
    const now = [...about, width, height, theme().small];
    if (width <= LEAST || height <= LEAST || now.every((value, k) => value === shown[k])) return;
    element.replaceChildren(draw({ width, height }));
    shown = now;
  };
  return { element, show };
}
