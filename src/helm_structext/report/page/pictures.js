// What is drawn of pictures: side by side, where they differ, and what moves where.

import { load } from "./blocks.js";
import { data } from "./data.js";
import { draw, make } from "./dom.js";
import { marksOver } from "./marks.js";
import { clamp, number } from "./numbers.js";

export const EDGE = 6; // pixels of paper around every picture
const FADED = 0.22; // of the ink below a plan
const FEW = 8; // of 255: what lossy pictures differ by anyway
export const DARKER = [222, 84, 0];
export const LIGHTER = [0, 104, 214];
export const RECOLORED = [160, 32, 190];
export const COST_COLORS = [[255, 214, 120], [245, 130, 48], [201, 40, 60], [90, 10, 80]];
export const COSTS = [0.0005, 0.03]; // of the first and of the last color
const UNIT = 1e-5; // of a plan's costs and masses

/**
 * The largest size with a picture's shape that fits into a box, and at most so many times the picture.
 * @param {number[]} picture
 * @param {number[]} box
 */
export function fit([width, height], [boxWidth, boxHeight], most = 1) {
  const scale = Math.min(most, boxWidth / width, boxHeight / height);
  return [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
}

/** The size in which a shot's pictures are compared. */
function matchedSize({ rendering, against, resize }) {
  const [first, second] = [data.pictures[rendering], data.pictures[against]];
  return resize ? second : [Math.max(first[0], second[0]), Math.max(first[1], second[1])];
}

/** Draws a picture as it is compared: scaled to the other's size, or on a white canvas. */
function pixels(image, picture, shot, [width, height]) {
  const [fullWidth, fullHeight] = matchedSize(shot);
  const size = shot.resize ? [fullWidth, fullHeight] : data.pictures[picture];
  const context = make("canvas", { width, height }).getContext("2d", { willReadFrequently: true });
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, (size[0] * width) / fullWidth, (size[1] * height) / fullHeight);
  return context.getImageData(0, 0, width, height);
}

const luminance = (values, i) => 0.299 * values[i] + 0.587 * values[i + 1] + 0.114 * values[i + 2];

/** Paints where two pictures differ: darker, lighter, or of another color in the first. */
function paintDifference(canvas, rendering, reference) {
  const result = new ImageData(rendering.width, rendering.height);
  const [a, b, out] = [rendering.data, reference.data, result.data];
  for (let i = 0; i < out.length; i += 4) {
    const most = Math.max(Math.abs(a[i] - b[i]), Math.abs(a[i + 1] - b[i + 1]), Math.abs(a[i + 2] - b[i + 2]));
    const signed = luminance(a, i) - luminance(b, i);
    const color = Math.abs(signed) < most / 4 ? RECOLORED : signed < 0 ? DARKER : LIGHTER;
    const share = most <= FEW ? 0 : Math.sqrt(most / 255);
    const gray = 255 - FADED * (255 - luminance(b, i));
    for (let c = 0; c < 3; c++) out[i + c] = gray + share * (color[c] - gray);
    out[i + 3] = 255;
  }
  canvas.getContext("2d").putImageData(result, 0, 0);
}

/** Paints the ink of both pictures, faded, for a plan to be drawn over it. */
function paintInk(canvas, rendering, reference) {
  const result = new ImageData(rendering.width, rendering.height);
  const [a, b, out] = [rendering.data, reference.data, result.data];
  for (let i = 0; i < out.length; i += 4) {
    const [inkA, inkB] = [255 - luminance(a, i), 255 - luminance(b, i)].map((ink) => (ink * FADED) / 255);
    for (let c = 0; c < 3; c++) out[i + c] = 255 - inkA * (255 - DARKER[c]) - inkB * (255 - LIGHTER[c]);
    out[i + 3] = 255;
  }
  canvas.getContext("2d").putImageData(result, 0, 0);
}

/** Where a cost lies between the first color and the last, from 0 to 1. */
const costPlace = (cost) => clamp(Math.log(cost / COSTS[0]) / Math.log(COSTS[1] / COSTS[0]), 0, 1);

function costColor(cost) {
  const place = costPlace(cost) * (COST_COLORS.length - 1);
  const step = Math.min(Math.floor(place), COST_COLORS.length - 2);
  const mixed = COST_COLORS[step].map((c, i) => Math.round(c + (place - step) * (COST_COLORS[step + 1][i] - c)));
  return `rgb(${mixed.join(" ")})`;
}

/**
 * Draws an arrow, bent to its right so that one back does not cover it.
 * @param {number[]} from
 * @param {number[]} to
 */
function arrow([x, y], [u, v], color, stroke, head) {
  const [bendX, bendY] = [(x + u) / 2 - (v - y) * 0.12, (y + v) / 2 + (u - x) * 0.12];
  const length = Math.hypot(u - bendX, v - bendY);
  const [dx, dy] = [(u - bendX) / length, (v - bendY) / length];
  const [baseX, baseY] = [u - dx * head, v - dy * head];
  const [sideX, sideY] = [-dy * head * 0.42, dx * head * 0.42];
  return [
    draw("path", { d: `M${x} ${y}Q${bendX} ${bendY} ${baseX} ${baseY}`, fill: "none", stroke: color, "stroke-width": stroke }),
    draw("path", { d: `M${u} ${v}L${baseX + sideX} ${baseY + sideY}L${baseX - sideX} ${baseY - sideY}Z`, fill: color }),
  ];
}

/** Draws a plan's moves over a picture of that size. */
function planDrawing([rows, columns, moves], [width, height]) {
  const [wide, tall] = [width / columns, height / rows];
  const unit = Math.min(wide, tall);
  const whole = Math.ceil(columns);
  /** @returns {[number, number]} */
  const center = (patch) => [((patch % whole) + 0.5) * wide, (Math.floor(patch / whole) + 0.5) * tall];
  const square = ([x, y], color) =>
    draw("rect", { x: x - wide * 0.38, y: y - tall * 0.38, width: wide * 0.76, height: tall * 0.76, fill: color, "fill-opacity": 0.75 });
  const shapes = moves.map(([source, target, mass, pixelCost, wayCost]) => {
    const [from, to] = [center(source), center(target)];
    const cost = (pixelCost + wayCost) * UNIT;
    const color = costColor(cost);
    const distance = Math.hypot(to[0] - from[0], to[1] - from[1]);
    const head = Math.min(distance * 0.6, Math.max(4, unit * 0.28));
    const stroke = clamp(Math.sqrt(mass * UNIT) * unit * 0.6, 0.7, head / 2);
    const parts = `${number(pixelCost * UNIT, 4)} for pixels, ${number(wayCost * UNIT, 4)} for the way`;
    return draw(
      "g",
      { class: "move", "data-from": source, "data-to": target, opacity: 0.4 + 0.6 * costPlace(cost) },
      source === target ? square(from, color) : arrow(from, to, color, stroke, head),
      draw("title", {}, `${number(cost, 4)} of the similarity: ${parts}`),
    );
  });
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, shapes);
}

export const PANELS = ["input", "rendering", "difference", "plan"];
export const PANEL_NAMES = { input: "Input", reference: "Reference", rendering: "Rendering", overlay: "Overlay", difference: "Difference", marks: "Mistakes" };
const PAINTS = { difference: paintDifference, plan: paintInk, marks: (canvas, rendering) => canvas.getContext("2d").putImageData(rendering, 0, 0) };

/*
 * A shot is what pictures there are of an answer, as numbers of pictures or null: its `input`, its
 * `rendering`, and what that is compared `against` (whose name is `againstName`), scaled to its size
 * if `resize`; `title` says whose they are, `plan` gives the plan of what moves where, whose name is
 * `planName`, `over` what is drawn over the input, and `marks` gives what is wrong with the rendering.
 */

/** A panel's name for readers. */
export const panelName = (name, shot) => ({ reference: shot.againstName, plan: shot.planName, code: "Code" })[name] ?? PANEL_NAMES[name];

/** What each of a shot's panels shows has this shape; those that it has not are missing. */
export function panelSizes(shot) {
  const { input, rendering, against, plan, marks } = shot;
  const sizes = {};
  if (input !== null) sizes.input = data.pictures[input];
  if (against !== null && against !== input) sizes.reference = data.pictures[against];
  if (rendering !== null) sizes.rendering = data.pictures[rendering];
  if (rendering === null || against === null) return sizes;
  const matched = matchedSize(shot);
  return { ...sizes, overlay: matched, difference: matched, ...(marks && { marks: matched }), ...(plan && { plan: matched }) };
}

/** Two canvases on each other, and the slider that says how much of the upper one covers the lower. */
function overlaySlider(lower, upper, name) {
  const show = (share) => (upper.style.clipPath = `inset(0 ${100 - share}% 0 0)`);
  show(50);
  const slider = make("input", {
    type: "range", min: 0, max: 100, value: 50, class: "slider",
    "aria-label": `Rendering to the left, ${name} to the right`,
    oninput: ({ target }) => show(target.value),
  });
  lower.after(upper);
  return slider;
}

/**
 * Makes a shot's panels, each in its box, and fills them when their pictures have come: at most so
 * many times as large as a picture, from small ones where there are.
 * Returns the figures by panel, and the function that fills them.
 */
export function makePictures(shot, names, box, { most = 1, small = false }) {
  const sizes = panelSizes(shot);
  const places = {};
  const figures = names.filter((name) => sizes[name]).map((name) => {
    const [width, height] = fit(sizes[name], box.map((side) => side - 2 * EDGE), most);
    const style = { width: `${width}px`, height: `${height}px` };
    const scale = Math.min(devicePixelRatio, 2);
    const pixel = { width: Math.round(width * scale), height: Math.round(height * scale) };
    const label = panelName(name, shot);
    const alt = `${label} of ${shot.title}`;
    const isFile = ["input", "reference", "rendering"].includes(name);
    const picture = isFile
      ? make("img", { alt, style, width, height })
      : make("canvas", { role: "img", "aria-label": alt, style, ...pixel });
    places[name] = { picture, size: [width, height], pixels: [pixel.width, pixel.height] };
    const both = make("div", { class: "picture", style }, picture);
    const paper = make("div", { class: "paper" }, both);
    const slider = name === "overlay" && overlaySlider(picture, make("canvas", { "aria-hidden": "true", style, ...pixel }), shot.againstName);
    return make("figure", { class: `panel ${name}`, "data-panel": name }, make("figcaption", {}, label, slider), paper);
  });

  async function fillPanels() {
    const image = (name, which) => load(places[name]?.picture ?? new Image(), which, small);
    const input = shot.input === null ? null : await image("input", shot.input);
    if (places.input && shot.over) places.input.picture.after(await shot.over());
    const against = shot.against === null || shot.against === shot.input ? input : await image("reference", shot.against);
    if (shot.rendering === null) return;
    const rendering = await image("rendering", shot.rendering);
    if (shot.against === null) return;
    const compared = (place) => [pixels(rendering, shot.rendering, shot, place.pixels), pixels(against, shot.against, shot, place.pixels)];
    for (const [name, paint] of Object.entries(PAINTS)) if (places[name]) paint(places[name].picture, ...compared(places[name]));
    if (places.overlay) {
      const [upper, lower] = compared(places.overlay);
      places.overlay.picture.getContext("2d").putImageData(lower, 0, 0);
      places.overlay.picture.nextSibling.getContext("2d").putImageData(upper, 0, 0);
    }
    if (places.marks) {
      const [width, height] = matchedSize(shot);
      const given = data.pictures[shot.rendering];
      const scale = shot.resize ? [width / given[0], height / given[1]] : [1, 1];
      places.marks.picture.after(marksOver(await shot.marks(), [width, height], scale, width / places.marks.size[0]));
    }
    if (places.plan) {
      const plan = await shot.plan();
      if (plan) places.plan.picture.after(planDrawing(plan, places.plan.size));
      else places.plan.picture.closest("figure").hidden = true;
    }
  }
  return { figures, fillPanels };
}

/** A rectangle over a picture, in fractions of it; a reversed or stretched one is what it is. */
function boxOver([x1, y1, x2, y2], attributes = {}) {
  const [left, right] = [x1, x2].map((v) => clamp(v, 0, 1)).sort((a, b) => a - b);
  const [top, bottom] = [y1, y2].map((v) => clamp(v, 0, 1)).sort((a, b) => a - b);
  const place = { x: left, y: top, width: right - left, height: bottom - top };
  return [draw("rect", { ...place, class: "casing" }), draw("rect", { ...place, ...attributes })];
}

/** Boxes that answers predict, pairs of model and boxes, and the true ones, over their picture. */
export function boxesOver(truth, predicted, color) {
  return draw(
    "svg",
    { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true", class: "boxes" },
    predicted.map(([model, boxes]) => draw("g", { class: "predicted", "data-model": model, style: { color: color(model) } }, boxes.map((box) => boxOver(box)))),
    truth.map((box) => boxOver(box, { class: "truth" })),
  );
}

const swatch = (color, text) => make("li", {}, make("span", { class: "swatch", style: { background: color } }), text);
const rgb = (color) => `rgb(${color.join(" ")})`;

/** What the colors of differences, plans and boxes mean, as far as a view has these. */
export function legend({ plan, boxes, instances }) {
  const scale = make("span", { class: "swatch scale", style: { background: `linear-gradient(90deg, ${COST_COLORS.map(rgb).join(", ")})` } });
  return [
    instances.some(({ reference }) => reference !== null) && [
      make("li", { class: "head" }, "Difference"),
      swatch(rgb(DARKER), "rendering darker"),
      swatch(rgb(LIGHTER), "input darker"),
      swatch(rgb(RECOLORED), "another color"),
    ],
    plan && [make("li", { class: "head" }, plan), make("li", {}, `costs ${COSTS[0]} `, scale, ` ${COSTS[1]} of the similarity`)],
    boxes && [
      make("li", {}, make("span", { class: "stroke truth" }), "true box"),
      make("li", {}, make("span", { class: "stroke" }), "predicted box, in the model’s color; point at a reply to find its box"),
    ],
  ];
}
