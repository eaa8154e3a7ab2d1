// Small charts in the cells of boards.

import { models, modelColor } from "./data.js";
import { draw, make } from "./dom.js";
import { clamp, number } from "./numbers.js";

/** A bar from 0 to a value, with its interval if it has one: pairs of number and text. */
export function bar(value, color, most = 1, interval = null) {
  const percent = (one) => `${clamp(one / most, 0, 1) * 100}%`;
  const [low, high] = interval ?? [];
  return draw(
    "svg",
    { class: "bar", "aria-hidden": "true" },
    draw("rect", { class: "track", width: "100%", height: "100%", rx: 2 }),
    draw("rect", { width: percent(value), height: "100%", rx: 2, fill: color }),
    low && draw("line", { class: "whisker", x1: percent(low[0]), x2: percent(high[0]), y1: "50%", y2: "50%" }),
  );
}

/** A stacked bar of how many answers have each value of a facet; a value is chosen by a click. */
export function stack(counts, show) {
  const present = Object.entries(counts);
  const all = present.reduce((sum, [, count]) => sum + count, 0);
  const text = present.map(([value, count]) => `${count} ${value}`).join(", ");
  let done = 0;
  const shapes = present.map(([value, count]) => {
    const x = (done / all) * 100;
    done += count;
    return draw(
      "rect",
      { class: `kind ${value}`, x: `${x}%`, width: `${(count / all) * 100}%`, height: "100%", onclick: () => show(value) },
      draw("title", {}, `${count} ${value}`),
    );
  });
  return make("div", { class: "outcomes", title: text }, draw("svg", { class: "bar", role: "img", "aria-label": text }, shapes), make("span", {}, text));
}

/** How many of a model's answers score in each of some equal parts from 0 to 1. */
export function histogram(counts, model, label) {
  const bins = counts.length;
  const most = Math.max(...counts, 1);
  const tall = (count) => Math.max(1.5, (count / most) * 22);
  return draw(
    "svg",
    { class: "histogram", role: "img", "aria-label": `${models[model]}, ${label}: ${counts.join(", ")} answers`, viewBox: `0 0 ${bins * 5} 24`, preserveAspectRatio: "none" },
    draw("rect", { class: "track", y: 23, width: "100%", height: 1 }),
    counts.map(
      (count, i) =>
        count > 0 &&
        draw(
          "rect",
          { x: i * 5 + 0.5, width: 4, y: 23 - tall(count), height: tall(count), fill: modelColor(model) },
          draw("title", {}, `${number(i / bins, 2)} to ${number((i + 1) / bins, 2)}: ${count} answers`),
        ),
    ),
  );
}
