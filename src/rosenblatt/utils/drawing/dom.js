// Elements of a page, made in one line. The lecture page and the page of the service share them.

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

/** Returns the path of a line through points, for a drawing. */
export function linePath(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** Returns the element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Replaces text only where it differs, so that screen readers hear changes alone. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Returns true where the reader asked for less motion. */
export function wantsStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
