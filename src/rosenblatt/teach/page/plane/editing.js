// Editing: click adds, Shift-click adds the other class, drag moves, Delete removes.

import { viewOf } from "./geometry.js";
import { byId } from "../../../utils/drawing/dom.js";

/** How near a pointer must be to a point, in pixels. */
const REACH = { mouse: 14, pen: 18, touch: 26 };

/** Connects the canvas to the model; `touched` is called when the reader begins to edit. */
export function connectEditing(model, touched) {
  const canvas = byId("plane");
  let drag = null;
  const viewNow = () => viewOf(canvas.clientWidth, model.fields.grid);
  const placeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0 || model.isLocked("editing")) return;
    touched();
    const view = viewNow();
    const [left, top] = placeOf(event);
    const row = nearestRow(model.fields.points, view, left, top, REACH[event.pointerType] ?? 14);
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    if (row === null && model.fields.tool === 0) {
      model.set({ selected: null });
      return;
    }
    drag = { row, moved: false };
    if (row === null) addPoint(model, view, left, top, event.shiftKey, drag);
    else model.set({ selected: row });
  });
  canvas.addEventListener("pointermove", (event) => {
    const view = viewNow();
    const [left, top] = placeOf(event);
    if (!drag) {
      const row = nearestRow(model.fields.points, view, left, top, REACH.mouse);
      canvas.style.cursor = model.isLocked("editing")
        ? "default"
        : row === null
          ? model.fields.tool
            ? "crosshair"
            : "default"
          : "grab";
      return;
    }
    movePoint(model, drag, view.snap(view.pointAt(left, top)));
  });
  const stop = () => {
    if (!drag) return;
    drag = null;
    model.set({ dragging: false });
  };
  canvas.addEventListener("pointerup", stop);
  canvas.addEventListener("pointercancel", stop);
}

function nearestRow(points, view, left, top, reach) {
  let [best, nearest] = [null, reach];
  points.forEach(([x, y], row) => {
    const distance = Math.hypot(view.across(x) - left, view.down(y) - top);
    if (distance <= nearest) [best, nearest] = [row, distance];
  });
  return best;
}

function addPoint(model, view, left, top, other, drag) {
  const { points, labels, tool } = model.fields;
  const point = view.snap(view.pointAt(left, top));
  const label = other ? -tool : tool;
  model.edit(
    { points: [...points, point], labels: [...labels, label] },
    { selected: points.length, asking: false },
  );
  drag.row = points.length;
  drag.moved = true;
}

function movePoint(model, drag, point) {
  const { points, labels } = model.fields;
  const old = points[drag.row];
  if (old[0] === point[0] && old[1] === point[1]) return;
  if (!drag.moved) model.remember();
  drag.moved = true;
  const moved = points.map((other, row) => (row === drag.row ? point : other));
  model.set({ points: moved, labels, dragging: true, proofShown: false });
}

/** Removes the selected point. */
export function removeSelected(model) {
  const { points, labels, selected } = model.fields;
  if (selected === null || model.isLocked("editing")) return;
  const kept = (_, row) => row !== selected;
  model.edit({ points: points.filter(kept), labels: labels.filter(kept) }, { selected: null });
}
