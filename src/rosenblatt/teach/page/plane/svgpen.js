// A pen with the methods of a canvas context that the plane uses, which writes SVG.

/** Collects drawn shapes as elements of SVG. */
export class SvgPen {
  constructor() {
    this.shapes = [];
    this.path = [];
    this.stack = [];
    Object.assign(this, { fillStyle: "black", strokeStyle: "black", lineWidth: 1, globalAlpha: 1 });
    Object.assign(this, {
      dash: [],
      font: "12px sans-serif",
      textAlign: "start",
      textBaseline: "alphabetic",
    });
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, dash } = this;
    this.stack.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, dash });
  }

  restore() {
    Object.assign(this, this.stack.pop());
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  beginPath() {
    this.path = [];
  }

  moveTo(x, y) {
    this.path.push(`M${round(x)} ${round(y)}`);
  }

  lineTo(x, y) {
    this.path.push(`L${round(x)} ${round(y)}`);
  }

  closePath() {
    this.path.push("Z");
  }

  rect(x, y, width, height) {
    this.path.push(`M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`);
  }

  arc(x, y, radius) {
    const r = round(radius);
    this.path.push(
      `M${round(x - radius)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
    );
  }

  fill() {
    this.add("path", { d: this.path.join(""), fill: this.fillStyle });
  }

  stroke() {
    this.add("path", { d: this.path.join(""), fill: "none", ...this.outline() });
  }

  fillRect(x, y, width, height) {
    this.add("rect", {
      x: round(x),
      y: round(y),
      width: round(width),
      height: round(height),
      fill: this.fillStyle,
    });
  }

  fillText(words, x, y) {
    this.text(words, x, y, { fill: this.fillStyle });
  }

  strokeText(words, x, y) {
    this.text(words, x, y, { fill: "none", ...this.outline(), "stroke-linejoin": "round" });
  }

  outline() {
    const dash = this.dash.length > 0 ? { "stroke-dasharray": this.dash.join(" ") } : {};
    return { stroke: this.strokeStyle, "stroke-width": round(this.lineWidth), ...dash };
  }

  text(words, x, y, look) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const baseline = { middle: "central", top: "hanging" }[this.textBaseline] ?? "auto";
    const place = {
      x: round(x),
      y: round(y),
      "text-anchor": anchor,
      "dominant-baseline": baseline,
    };
    this.add("text", { ...place, style: `font:${this.font}`, ...look }, words);
  }

  add(tag, attributes, content = "") {
    const alpha = this.globalAlpha < 1 ? { opacity: round(this.globalAlpha) } : {};
    const text = Object.entries({ ...attributes, ...alpha }).map(([k, v]) => `${k}="${escape(v)}"`);
    this.shapes.push(`<${tag} ${text.join(" ")}>${escape(content)}</${tag}>`);
  }

  /** Returns the drawing as a file. */
  file(size) {
    const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size}" height="${size}">`;
    return `${head}\n${this.shapes.join("\n")}\n</svg>\n`;
  }
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function escape(value) {
  return String(value).replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
}
