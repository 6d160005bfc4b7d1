// Pictures of the plane as PNG and SVG, and the page as a file.

import { drawPlane } from "../plane/draw.js";
import { sceneAt } from "../plane/scene.js";
import { SvgPen } from "../plane/svgpen.js";
import { byId, el } from "../../../utils/drawing/dom.js";
import { theme } from "../state/look.js";
import { strings } from "../strings.js";

const PIXELS = 1600;
const SVG_PIXELS = 800;

/** The longest name of a file, in letters. */
const FILE_LETTERS = 60;

/** Offers a file to the reader. */
export function offerFile(name, blob) {
  const address = URL.createObjectURL(blob);
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Saves the plane as SVG. */
export function saveSvg(model) {
  const pen = new SvgPen();
  drawPlane(pen, SVG_PIXELS, sceneAt(model), theme(), strings);
  offerFile("perceptron.svg", new Blob([pen.file(SVG_PIXELS)], { type: "image/svg+xml" }));
}

/** Saves the plane as PNG. */
export function savePng(model) {
  const canvas = el("canvas", { width: PIXELS, height: PIXELS });
  const pen = canvas.getContext("2d");
  pen.scale(PIXELS / SVG_PIXELS, PIXELS / SVG_PIXELS);
  drawPlane(pen, SVG_PIXELS, sceneAt(model), theme(), strings);
  canvas.toBlob((blob) => offerFile("perceptron.png", blob), "image/png");
}

/** Saves the page with a lesson as one file. */
export function savePage(lesson) {
  const copy = document.documentElement.cloneNode(true);
  for (const id of [
    "bar",
    "tools",
    "step",
    "panels",
    "verdict",
    "question",
    "transport",
    "messages",
    "lesson-note",
  ]) {
    copy.querySelector(`#${id}`).replaceChildren();
  }
  for (const made of copy.querySelectorAll("dialog, #drawer, #handle")) made.remove();
  copy.className = "";
  copy.removeAttribute("style");
  copy.querySelector("#lesson-data").textContent = JSON.stringify(lesson).replace(/</g, "\\u003c");
  offerFile(fileNameOf(lesson.title, "html"), new Blob([`<!doctype html>\n${copy.outerHTML}`], { type: "text/html" }));
}

/** Returns the name of a file: the letters and digits of its title. */
export function fileNameOf(title, ending) {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["lesson"];
  return `${words.join("-").slice(0, FILE_LETTERS)}.${ending}`;
}

/** Returns true where the page is one file, which can be saved with a lesson. */
export function canSavePage() {
  return byId("lesson-data") !== null;
}
