// What drawings need of the page: colours, the sizes of their elements, and a context in CSS pixels.

/** A phone, as the style sheets have it. */
export const PHONE = "(max-width: 700px)";

/**
 * The sizes of elements as they were last laid out. To measure one while a frame is written would
 * lay the page out once more.
 */
let sizes = new WeakMap();

let redraw = () => {};

const watched = new ResizeObserver((entries) => {
  const isNew = ({ target }) => {
    const [before, now] = [sizes.get(target), measured(target)];
    sizes.set(target, now);
    return before?.width !== now.width || before.height !== now.height;
  };
  if (entries.map(isNew).includes(true)) redraw();
});

/** Calls a function after an element whose size was asked for was laid out in another one. */
export function watchSizes(listener) {
  redraw = listener;
}

/** Forgets all sizes: the window has another one, or paper takes its place. */
export function forgetSizes() {
  sizes = new WeakMap();
}

/** Returns the width and the height of an element in CSS pixels, with its padding. */
export function sizeOf(element) {
  const kept = sizes.get(element);
  if (kept?.width > 0) return kept; // what was hidden may be shown by now
  const size = measured(element);
  sizes.set(element, size);
  watched.observe(element);
  return size;
}

function measured({ clientWidth, clientHeight }) {
  return { width: clientWidth, height: clientHeight };
}

let colours = {};

/** Returns the colours of the style sheet, by name, as they were when the frame began. */
export function theme() {
  return colours;
}

/** Reads the colours: once a frame, before it is written, since later styles would be computed again. */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const names = [
    "paper",
    "ink",
    "grey",
    "pale",
    "negative",
    "positive",
    "floor",
    "ceiling",
    "wrong",
    "grid",
  ];
  const named = Object.fromEntries(
    names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  );
  colours = {
    ...named,
    font: style.getPropertyValue("--font").trim(),
    small: parseFloat(style.getPropertyValue("--small")),
    thick: Number(style.getPropertyValue("--thick")) || 1,
  };
}

/** Returns a canvas context for drawing in CSS pixels, and the size of the canvas. */
export function canvasContext(canvas) {
  const ratio = devicePixelRatio || 1;
  const { width, height } = sizeOf(canvas);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
