// Editing: click adds, Shift-click adds the other class, drag moves, Delete removes; and by keys.

import { viewOf } from "./geometry.js";
import { byId, setText } from "../../../utils/drawing/dom.js";
import { POINT_LIMIT } from "../engine/limits.js";
import { signed, vector } from "../state/format.js";
import { pickRow } from "../quiz/forms.js";
import { nearestLine } from "../quiz/plane.js";
import { openQuestion } from "../quiz/quiz.js";
import { strings } from "../strings.js";

/** How near a pointer must be to a point, in pixels. */
const REACH = { mouse: 14, pen: 18, touch: 26 };

/**
 * Returns what edits the points: `add` puts one of a label there, `select` goes on to the next or
 * the last one, `move` moves the selected one by steps of the grid. `touched` is called when the
 * reader begins to edit, `say` tells what is not possible.
 */
export function buildEditing(model, { touched, say }) {
  const isFree = () => {
    if (model.isLocked("editing")) return false;
    touched();
    return true;
  };
  const tell = (row) => {
    const { points, labels } = model.fields;
    const words = strings.pointWords(row + 1, vector(points[row]), signed(labels[row]));
    setText(byId("plane-point"), words);
  };
  return {
    isFree,
    add(point, label) {
      const { points, labels } = model.fields;
      if (points.length >= POINT_LIMIT) {
        say(strings.textFaults.manyPoints(points.length + 1), true);
        return false;
      }
      const more = { points: [...points, point], labels: [...labels, label] };
      model.edit(more, { selected: points.length, asking: false });
      tell(points.length);
      return true;
    },
    addInMiddle() {
      const { grid, tool } = model.fields;
      const view = viewOf(1, grid);
      if (isFree()) this.add(view.snap(view.middle), tool || 1);
    },
    select(step) {
      const { points, selected } = model.fields;
      if (points.length === 0 || !isFree()) return;
      const from = selected ?? (step > 0 ? -1 : 0);
      model.set({ selected: (from + step + points.length) % points.length });
      tell(model.fields.selected);
    },
    move(steps) {
      const { points, labels, selected, grid } = model.fields;
      if (selected === null || !isFree()) return;
      const place = points[selected].map((value, k) => value + steps[k] * grid.step[k]);
      const moved = viewOf(1, grid).snap(place);
      model.edit({ points: points.with(selected, moved), labels });
      tell(selected);
    },
  };
}

/** Connects the canvas to the model and to what edits it. */
export function connectEditing(model, editing) {
  const canvas = byId("plane");
  let drag = null;
  const viewNow = () => viewOf(canvas.clientWidth, model.fields.grid);
  const placeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    const view = viewNow();
    const [left, top] = placeOf(event);
    const row = nearestRow(model.fields.points, view, left, top, REACH[event.pointerType] ?? 14);
    if (answersAt(model, row, view, left, top) || !editing.isFree()) return;
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    if (row === null && model.fields.tool === 0) {
      model.set({ selected: null });
      return;
    }
    if (row !== null) {
      drag = { row, moved: false };
      model.set({ selected: row });
      return;
    }
    const { points, tool } = model.fields;
    const added = editing.add(view.snap(view.pointAt(left, top)), event.shiftKey ? -tool : tool);
    if (added) drag = { row: points.length, moved: true };
  });
  canvas.addEventListener("pointermove", (event) => {
    const view = viewNow();
    const [left, top] = placeOf(event);
    if (!drag && openQuestion(model) !== null) {
      canvas.style.cursor = "pointer";
      return;
    }
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

/** Takes a point or a line of the plane as a choice of an exercise; returns whether it asks for one. */
function answersAt(model, row, view, left, top) {
  const question = openQuestion(model);
  if (question === "breaks" && row !== null) pickRow(model, row);
  const line = question === "line" ? nearestLine(model, view, left, top) : null;
  if (line !== null) model.set({ picked: [line] });
  return question !== null;
}

function nearestRow(points, view, left, top, reach) {
  let [best, nearest] = [null, reach];
  points.forEach(([x, y], row) => {
    const distance = Math.hypot(view.across(x) - left, view.down(y) - top);
    if (distance <= nearest) [best, nearest] = [row, distance];
  });
  return best;
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
