// Elements of the page, made in one line.

const SVG = "http://www.w3.org/2000/svg";

/** Returns an element with properties, attributes (with a dash, or role) and children. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for")
      element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Returns an element of a drawing with attributes and children. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Returns the element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Replaces text only where it differs, so that screen readers hear changes alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

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
    thick: Number(style.getPropertyValue("--thick")) || 1,
  };
}

/** Returns true where the reader asked for less motion. */
export function wantsStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
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
