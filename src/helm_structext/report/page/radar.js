// A radar chart: an axis for each count, a line for each model, which a click on its name hides.

import { modelColor, modelLabel, modelNumber, models } from "./data.js";
import { draw, make, replace } from "./dom.js";

const SIZE = { width: 680, height: 470, radius: 165, rings: 4 };

export function drawRadar(_view, item) {
  const hidden = new Set();
  const place = make("figure", { class: "radar" });
  const lines = Object.entries(item.lines).map(([name, counts]) => [modelNumber(name), counts]);
  const show = () => {
    const shown = lines.filter(([model]) => !hidden.has(model));
    replace(place, chart(item, shown), make("figcaption", {}, lines.map(([model]) => key(model))));
  };
  const key = (model) => {
    const onclick = () => {
      if (!hidden.delete(model)) hidden.add(model);
      show();
    };
    return make("button", { type: "button", "aria-pressed": String(!hidden.has(model)), onclick }, modelLabel(model));
  };
  show();
  return place;
}

function chart({ title, axes }, lines) {
  const { width, height, radius, rings } = SIZE;
  const [x0, y0] = [width / 2, height / 2];
  const names = Object.keys(axes);
  const sizes = Object.values(axes);
  const place = (axis, share) => {
    const angle = (2 * Math.PI * axis) / names.length - Math.PI / 2;
    return [x0 + radius * share * Math.cos(angle), y0 + radius * share * Math.sin(angle)];
  };
  const outline = (shares) => shares.map((share, axis) => place(axis, share).map((v) => v.toFixed(1)).join(",")).join(" ");
  const circles = Array.from({ length: rings }, (_, ring) => {
    const share = (ring + 1) / rings;
    return [
      draw("polygon", { class: "ring", points: outline(names.map(() => share)) }),
      draw("text", { class: "tick", x: x0 + 4, y: y0 - radius * share - 3 }, `${100 * share}%`),
    ];
  });
  const spokes = names.map((name, axis) => {
    const [x, y] = place(axis, 1);
    const [u, v] = place(axis, 1.14);
    const anchor = Math.abs(u - x0) < 12 ? "middle" : u < x0 ? "end" : "start";
    return [draw("line", { class: "ring", x1: x0, y1: y0, x2: x, y2: y }), draw("text", { x: u, y: v + 5, "text-anchor": anchor }, name)];
  });
  // The best stand in front.
  const outlines = lines.toReversed().map(([model, counts]) => {
    const shares = counts.map((count, axis) => (count ?? 0) / sizes[axis]);
    const dots = shares.map((share, axis) => {
      const [cx, cy] = place(axis, share);
      return draw("circle", { cx, cy, r: 3 }, draw("title", {}, `${models[model]}, ${names[axis]}: ${counts[axis] ?? "–"} of ${sizes[axis]}`));
    });
    return draw("g", { class: "line", style: { color: modelColor(model) } }, draw("polygon", { points: outline(shares) }), dots);
  });
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title} of ${lines.length} models on ${names.length} axes` }, circles, spokes, outlines);
}
