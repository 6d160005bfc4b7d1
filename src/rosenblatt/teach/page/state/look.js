// What canvases need of the page: colours, and a context in CSS pixels.

/** Returns the colours of the style sheet, by name. */
export function theme() {
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
  const colours = Object.fromEntries(
    names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  );
  return {
    ...colours,
    font: style.getPropertyValue("--font").trim(),
    small: parseFloat(style.getPropertyValue("--small")),
    thick: Number(style.getPropertyValue("--thick")) || 1,
  };
}

/** Returns a canvas context for drawing in CSS pixels, and the size of the canvas. */
export function canvasContext(canvas) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
