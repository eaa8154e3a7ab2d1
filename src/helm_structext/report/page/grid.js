// Models × instances: a row for each model, a column for each instance that the list shows, and a
// cell for each answer, shaded by its score. And the same as CSV.

const MOST_COLUMNS = 240; // of instances; the first in the chosen order are shown
const ROW = 25; // pixels
const CELLS = 500; // that are made in a frame: thousands would be a pause
const NEAR = "800px"; // of the screen: where a grid gets its other rows

const GRID_ORDERS = {
  listed: ["as listed", () => 0],
  disagreement: ["most disagreement", (a, b) => b.spread - a.spread],
  lowest: ["lowest mean", (a, b) => a.mean - b.mean],
};

/** Instances with their answers by model, and how far those are apart (standard deviation). */
function gridColumns(bench) {
  const wanted = new Map(bench.list().map((answer) => [answer.instance, new Map()]));
  for (const answer of bench.all()) wanted.get(answer.instance)?.set(answer.model, answer);
  return [...wanted.values()].map((answers) => {
    const values = [...answers.values()].map(bench.value).filter((value) => value !== null);
    const mean = values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length || 1));
    return { answers, mean, spread };
  });
}

const grids = {}; // by benchmark: the models whose rows are still to come, how many at a time, and how

/** Fills a benchmark's grid; called whenever its list changes. */
function showGrid(name) {
  const bench = benches[name];
  const place = byId(`${name}-grid`);
  const order = place.querySelector("select");
  const columns = gridColumns(bench).toSorted(GRID_ORDERS[order.value][1]);
  const shown = columns.slice(0, MOST_COLUMNS);
  const models = bench.models();
  const body = make("tbody");
  Object.assign(grids[name], { body, shown, models: [...models], count: Math.ceil(CELLS / (shown.length || 1)) });
  addRows(name);
  const first = body.querySelector("button");
  if (first) first.tabIndex = 0;
  const whole = make("div", { style: { minHeight: `${ROW * models.length}px` } }, make("table", {}, body));
  replace(fill(place.querySelector(".scroll"), { style: { containIntrinsicSize: `auto ${ROW * (models.length + 1)}px` } }), whole);
  const left = columns.length - shown.length;
  replace(place.querySelector("small"), `${shown.length} instance${shown.length === 1 ? "" : "s"}${left ? `, and ${left} more` : ""}; darker is better, ✕ failed`);
  place.hidden = !shown.length;
}

/** Makes some of a grid's rows, and the others frame by frame if it is near the screen. */
function addRows(name) {
  const { body, shown, models, count, near, more } = grids[name];
  const row = (model) =>
    make("tr", {}, make("th", { scope: "row" }, modelLabel(model)), shown.map(({ answers }) => gridCell(benches[name], answers.get(model))));
  body.append(...models.splice(0, count).map(row));
  if (near && models.length) more();
}

function gridCell(bench, answer) {
  if (!answer) return make("td");
  const value = bench.value(answer);
  const said = `${data.models[answer.model]}, ${bench.label(answer)}, ${bench.id(answer)}: ${value === null ? "no score" : number(value)}${answer.kind ? `, ${answer.kind}` : ""}`;
  const cell = make(
    "button",
    { type: "button", class: "plain", tabindex: -1, title: said, "aria-label": said, style: { "--share": clamp(value ?? 0, 0, 1) ** 2 } },
    answer.kind && "✕",
  );
  cell.answer = answer;
  return make("td", {}, cell);
}

/** Arrows move in a grid, as one stop of the tabulator key. */
function onGridKey(event) {
  const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  const cell = event.target.closest("td");
  if (!by || !cell) return;
  event.preventDefault();
  event.stopPropagation();
  const row = [...cell.closest("tbody").rows][cell.parentElement.rowIndex + by[1]];
  const next = row?.cells[cell.cellIndex + by[0]]?.querySelector("button");
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

function startGrid(name) {
  const place = byId(`${name}-grid`);
  const order = make("select", {}, Object.entries(GRID_ORDERS).map(([value, [label]]) => make("option", { value }, label)));
  const csv = make("button", { type: "button", class: "small", onclick: () => saveCsv(name) }, "CSV of what is listed");
  replace(
    place,
    make("div", { class: "controls" }, make("label", {}, "Grid ", order), make("small"), make("span", { class: "space" }), csv),
    sideways(`${benches[name].title}, models by instances`),
  );
  place.querySelector(".scroll").tabIndex = -1; // its cells have the focus
  const grid = (grids[name] = { models: [], near: false, more: onceAFrame(() => addRows(name)) });
  const onNear = ([{ isIntersecting }]) => {
    grid.near = isIntersecting;
    if (isIntersecting && grid.models.length) grid.more();
  };
  new IntersectionObserver(onNear, { rootMargin: NEAR }).observe(place);
  order.addEventListener("change", () => showGrid(name));
  rememberChoice(order, `${name}.grid`);
  place.addEventListener("keydown", onGridKey);
  place.addEventListener("click", ({ target }) => {
    const cell = target.closest("button");
    if (cell?.answer) open(cell.answer);
  });
}

const FORMULA = /^['\s\0\x0b\x0c\x1c-\x1f\x85\xa0\u200b\u3000\ufeff]*[=+\-@\t\r\n＝＋－＠]/u;

/** Rows as CSV in which a spreadsheet computes nothing: a text like a formula has an apostrophe before it. */
function csvText(rows) {
  const cell = (value) => {
    const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : `${value ?? ""}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/** The answers that a benchmark lists: under which condition, what they are, what came of them, and every score. */
function csvRows(name) {
  const bench = benches[name];
  const answers = bench.listed?.() ?? bench.list();
  const scores = [...new Set(answers.flatMap((answer) => bench.scores(answer).map(([label]) => label)))];
  const outcome = (answer) => answer.kind ?? (answer.refused ? "refused" : answer.truncated ? "truncated" : "");
  return [
    ["benchmark", "condition", "part", "instance", "model", "outcome", ...scores],
    ...answers.map((answer) => {
      const values = Object.fromEntries(bench.scores(answer));
      const place = [name, bench.condition(), bench.part(answer), bench.id(answer)];
      return [...place, data.models[answer.model], outcome(answer), ...scores.map((label) => values[label])];
    }),
  ];
}

function saveCsv(name) {
  const address = URL.createObjectURL(new Blob([csvText(csvRows(name))], { type: "text/csv" }));
  make("a", { href: address, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
