// Tables and charts of one condition: numbers come from the data, nothing is computed here.

const MOST_POINTS = 4_000; // of a plot; of more answers as many are drawn, evenly

const condition = () => data.conditions[view.condition];
const modelsOf = () => condition().models.map((name) => data.models.indexOf(name));
const answersOf = () => data.answers.filter((answer) => answer.condition === view.condition);
const domainsOf = () => [...new Set(condition().scopes.map(({ domain }) => domain))];

const rank = (model) => condition().models.indexOf(data.models[model]);
const byRank = (a, b) => rank(a.model) - rank(b.model);

/** The mean of a metric in a scope, as {mean, text, count, low, high}, or null; low and high are figures. */
function score(scope, metric, model) {
  const [figure, count, low, high] = scope.scores[metric]?.[data.models[model]] ?? [];
  return figure ? { mean: figure[0], text: figure[1], count, low, high } : null;
}

const winRate = ({ mean, strict, low, high }) => mean && { mean: mean[0], text: mean[1], strict, low, high };

/** How many answers the models have in a scope: one number, or a range if they differ. */
function answerCount(scope) {
  const counts = modelsOf().flatMap((model) => score(scope, RENDERED, model)?.count ?? []);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least === most ? "" : `${least} to `}${most} answer${most === 1 ? "" : "s"}`;
}

/** The filter that shows a scope's answers, and no others. */
function filterOf({ domain, subsets }) {
  if (subsets.length === 1) return `${domain}/${subsets[0]}`;
  const isWild = (name) => data.subsets.find((subset) => subset.domain === domain && subset.name === name).wild;
  return `${domain}/${isWild(subsets[0]) ? "wild" : "code"}`;
}

/** A bar from 0 to a value, with its interval if it has one. */
function bar(cell, color, most = 1) {
  const percent = (value) => `${clamp(value / most, 0, 1) * 100}%`;
  const shapes = [
    draw("rect", { class: "track", width: "100%", height: "100%", rx: 2 }),
    draw("rect", { width: percent(cell.mean), height: "100%", rx: 2, fill: color }),
  ];
  if (cell.low)
    shapes.push(
      draw("line", { class: "whisker", x1: percent(cell.low[0]), x2: percent(cell.high[0]), y1: "50%", y2: "50%" }),
    );
  return draw("svg", { class: "bar", "aria-hidden": "true" }, shapes);
}

const interval = ({ low, high, strict }) => [
  low && make("small", { title: "95% bootstrap interval" }, `${low[1]}–${high[1]}`),
  strict && make("small", {}, `strict ${strict[1]}`),
];

/** Fills the leaderboard; `order` is the column to sort by. */
function showLeaderboard(order = 0) {
  const { winRates, note, words, rated, rivals, scopes } = condition();
  const models = modelsOf().filter((model) => Object.hasOwn(winRates, data.models[model]));
  const whole = scopes.filter((scope) => scope.inLeaderboard);
  const shown = [EMS, RENDERED, "skill"].filter((metric) => whole.some((scope) => scope.scores[metric]));
  const columns = [
    { label: "Win rate", small: "rendering, EMS", cell: (model) => winRate(winRates[data.models[model]]) },
    ...whole.flatMap((scope) => [
      ...shown.map((metric) => ({ label: metricLabel(metric), cell: (model) => score(scope, metric, model) })),
      { label: "Tied", text: (model) => scope.tied[data.models[model]] ?? "–" },
    ]),
  ];
  const value = (column, model) => column.cell?.(model)?.mean ?? null;
  const best = columns.map((column) => Math.max(...models.map((model) => value(column, model) ?? -1)));
  const sorted = models.toSorted((a, b) => (value(columns[order], b) ?? -1) - (value(columns[order], a) ?? -1));
  const head = make(
    "thead",
    {},
    make(
      "tr",
      {},
      make("td", { colspan: 2 }),
      make("td"),
      whole.map((scope) =>
        make(
          "th",
          { scope: "colgroup", colspan: shown.length + 1, class: "group" },
          data.domains[scope.domain],
          scope.label === "all" ? "" : ` · ${scope.label}`,
          make("small", {}, answerCount(scope)),
        ),
      ),
    ),
    make(
      "tr",
      {},
      make("th", { scope: "col" }, make("span", { class: "hidden" }, "Key")),
      make("th", { scope: "col" }, "Model"),
      columns.map((column, i) =>
        make(
          "th",
          { scope: "col", class: "number", "aria-sort": i === order ? "descending" : null },
          column.text ? column.label : make("button", { type: "button", class: "plain", onclick: () => showLeaderboard(i) }, column.label),
          column.small && make("small", {}, column.small),
        ),
      ),
    ),
  );
  const body = make(
    "tbody",
    {},
    sorted.map((model) =>
      make(
        "tr",
        {},
        make("td", { class: "key" }, rank(model) < 9 ? make("kbd", {}, `${rank(model) + 1}`) : ""),
        make(
          "th",
          { scope: "row" },
          make("button", { type: "button", class: "plain model", title: "Show its answers", onclick: () => showAnswers({ model }) }, modelLabel(model)),
        ),
        columns.map((column, i) => {
          if (column.text) return make("td", { class: "number" }, column.text(model));
          const cell = column.cell(model);
          if (cell?.mean == null) return make("td", { class: "number" }, "–");
          return make(
            "td",
            { class: `number${cell.mean === best[i] ? " best" : ""}` },
            bar(cell, modelColor(model)),
            cell.text,
            interval(cell),
          );
        }),
      ),
    ),
  );
  replace(byId("leaderboard-table"), make("table", { class: "board" }, head, body));
  const used = (word) => ({ Skill: shown.includes("skill") })[word] ?? true;
  const rate = ["Win rate", `in rendering and EMS of ${rated.join(", ")} alone, among ${rivals} models: mean share of the others that a model beats; the overview's is over all its columns`];
  const more = [
    "Ranges: 95%, percentile bootstrap over instances, those of one paper or repository together.",
    shown.includes("skill") && "Skill: (EMS − floor) / (1 − floor), the floor being what a blank page scores.",
  ];
  replace(byId("leaderboard-caption"), notes([rate, ...words.filter(([word]) => used(word))], note, ...more));
}

/** Fills a chart for each domain: models by subsets, what came of the answers, and how EMS spreads. */
function showDomains() {
  const metric = byId("domain-metric").value;
  const { scopes, label } = condition();
  const means = scopes.flatMap((scope) => Object.values(scope.scores[metric] ?? {}).map(([[mean]]) => mean));
  const most = isDistance(metric) ? Math.max(...means) : 1;
  replace(byId("domain-caption"), notes([...new Map([...data.meanings[metric], ...data.meanings[EMS]])], `${label}. ${isDistance(metric) ? "Less is better." : "More is better."} Choose a bar to see its answers.`));
  replace(
    byId("domain-charts"),
    domainsOf().map((domain) => {
      const shown = scopes.filter((scope) => scope.domain === domain);
      const head = make(
        "tr",
        {},
        make("th", { scope: "col" }, "Model"),
        shown.map((scope) => make("th", { scope: "col" }, scope.label, make("small", {}, answerCount(scope)))),
        make("th", { scope: "col" }, "Outcomes"),
        make("th", { scope: "col" }, "Spread of EMS", make("small", {}, "from 0 to 1")),
      );
      const rows = modelsOf().map((model) => {
        const its = condition().spreads[domain][rank(model)];
        const count = Object.values(its.outcomes).reduce((sum, n) => sum + n, 0);
        return make(
          "tr",
          {},
          make("th", { scope: "row" }, modelLabel(model)),
          shown.map((scope) => make("td", {}, scoreButton(scope, metric, model, most))),
          make("td", {}, count ? outcomes(its.outcomes, count, model, domain) : ""),
          make("td", {}, count ? histogram(its.counts, model) : ""),
        );
      });
      return make(
        "div",
        { class: "chart" },
        make("h3", {}, data.domains[domain]),
        sideways(`${data.domains[domain]}, models by subsets`, make("table", { class: "bars" }, make("thead", {}, head), make("tbody", {}, rows))),
      );
    }),
  );
}

function scoreButton(scope, metric, model, most) {
  const cell = score(scope, metric, model);
  if (!cell) return "–";
  return make(
    "button",
    {
      type: "button",
      class: "plain cell",
      "aria-label": `${data.models[model]}, ${scope.label}: ${cell.text}`,
      title: cell.low && `95% interval ${cell.low[1]} to ${cell.high[1]}`,
      onclick: () => showAnswers({ model, subset: filterOf(scope) }),
    },
    bar(cell, modelColor(model), most),
    cell.text,
  );
}

/** A stacked bar of what came of a model's answers: how many of each kind. */
function outcomes(counts, all, model, domain) {
  const kinds = ["rendered", ...data.kinds].map((kind) => [kind, counts[kind] ?? 0]);
  const present = kinds.filter(([, count]) => count);
  const text = present.map(([kind, count]) => `${count} ${kind}`).join(", ");
  let done = 0;
  const shapes = present.map(([kind, count]) => {
    const x = (done / all) * 100;
    done += count;
    return draw(
      "rect",
      {
        class: `kind ${kind}`, x: `${x}%`, width: `${(count / all) * 100}%`, height: "100%",
        onclick: () => showAnswers({ model, subset: domain, outcome: kind }),
      },
      draw("title", {}, `${count} ${kind}`),
    );
  });
  const failed = all - kinds[0][1];
  return make("div", { class: "outcomes", title: text }, draw("svg", { class: "bar", role: "img", "aria-label": text }, shapes), failed ? `${failed} failed` : "");
}

/** How many answers have an EMS in each of some equal parts from 0 to 1. */
function histogram(counts, model) {
  const bins = counts.length;
  const most = Math.max(...counts, 1);
  return draw(
    "svg",
    { class: "histogram", role: "img", "aria-label": `EMS from 0 to 1: ${counts.join(", ")} answers`, viewBox: `0 0 ${bins * 5} 24`, preserveAspectRatio: "none" },
    draw("rect", { class: "track", y: 23, width: "100%", height: 1 }),
    counts.map((count, i) =>
      count
        ? draw(
            "rect",
            { x: i * 5 + 0.5, width: 4, y: 23 - Math.max(1.5, (count / most) * 22), height: Math.max(1.5, (count / most) * 22), fill: modelColor(model) },
            draw("title", {}, `EMS ${number(i / bins, 2)} to ${number((i + 1) / bins, 2)}: ${count} answers`),
          )
        : [],
    ),
  );
}

const SMALLEST = 0.0005; // a correlation that is printed as 0.000 has no color

/** Fills the table of correlations, and marks the pair whose answers are plotted. */
function showCorrelations() {
  const { correlations, correlated } = condition();
  const matrix = correlations[byId("correlation-domain").value];
  const used = correlated.filter((_, i) => matrix[i].some((value, j) => value !== null && i !== j));
  byId("scatter").hidden = !used.length;
  const meanings = new Map(used.flatMap((name) => data.meanings[name]));
  replace(byId("metrics-caption"), notes([...meanings], "Pearson's correlation over the answers that rendered, oracle and blank page left out. Choose a cell to see its answers, and a point to open one."));
  if (!used.length) {
    replace(byId("correlation-table"), make("p", { class: "caption" }, "Too few answers rendered."));
    return;
  }
  if (!view.pair.every((name) => used.includes(name))) view.pair = used.slice(0, 2);
  const rows = used.map((first) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, metricLabel(first)),
      used.map((second) => {
        const figure = matrix[correlated.indexOf(first)][correlated.indexOf(second)];
        if (first === second || !figure) return make("td", { class: "none" }, first === second ? "" : "–");
        const [value, text] = figure;
        const strength = Math.abs(value) < SMALLEST ? 0 : Math.abs(value) * 0.7;
        return make(
          "td",
          { class: value < 0 ? "minus" : "plus" },
          make(
            "button",
            {
              type: "button",
              class: "plain cell",
              "aria-pressed": String(view.pair[0] === first && view.pair[1] === second),
              "aria-label": `${metricLabel(first)} and ${metricLabel(second)}: ${text}`,
              style: { "--share": strength },
              onclick: () => {
                view.pair = [first, second];
                showCorrelations();
              },
            },
            text,
          ),
        );
      }),
    ),
  );
  const head = make("tr", {}, make("td"), used.map((name) => make("th", { scope: "col" }, make("span", {}, metricLabel(name)))));
  const before = document.activeElement?.getAttribute("aria-label");
  replace(byId("correlation-table"), make("table", { class: "heat" }, make("thead", {}, head), make("tbody", {}, rows)));
  if (before) [...byId("correlation-table").querySelectorAll("button")].find((b) => b.getAttribute("aria-label") === before)?.focus();
  showScatter();
}

const scatter = { points: [], near: null };

/** Plots the chosen pair of metrics, a point for each answer that rendered. */
function showScatter() {
  const canvas = byId("scatter").querySelector("canvas");
  const domain = byId("correlation-domain").value;
  const [y, x] = view.pair;
  const plotted = answersOf().filter(
    (answer) =>
      answer.rendering !== null &&
      scoreOf(answer, x) !== null &&
      scoreOf(answer, y) !== null &&
      !data.bounds.includes(data.models[answer.model]) &&
      (!domain || subsetOf(answer).domain === domain),
  );
  const every = Math.ceil(plotted.length / MOST_POINTS);
  const answers = plotted.filter((_, i) => i % every === 0);
  const count = every > 1 ? `${answers.length} of ${plotted.length} answers` : `${answers.length} answers`;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (!width) return;
  const scale = Math.min(devicePixelRatio, 2);
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const edge = { left: 58, right: 14, top: 12, bottom: 40 };
  const range = (metric) => {
    const values = answers.map((answer) => scoreOf(answer, metric));
    const [low, high] = [Math.min(...values, Infinity), Math.max(...values, -Infinity)];
    return isDistance(metric) || low < 0 || high > 1 ? [Math.min(0, low), Math.max(high, 0.01)] : [0, 1];
  };
  const [rangeX, rangeY] = [range(x), range(y)];
  const placeX = (v) => edge.left + ((v - rangeX[0]) / (rangeX[1] - rangeX[0])) * (width - edge.left - edge.right);
  const placeY = (v) => height - edge.bottom - ((v - rangeY[0]) / (rangeY[1] - rangeY[0])) * (height - edge.top - edge.bottom);
  context.font = `12px ${style.fontFamily}`;
  context.lineWidth = 1;
  for (let step = 0; step <= 4; step++) {
    const [u, v] = [rangeX, rangeY].map(([low, high]) => low + ((high - low) * step) / 4);
    context.strokeStyle = style.getPropertyValue("outline-color");
    context.beginPath();
    context.moveTo(placeX(u), edge.top);
    context.lineTo(placeX(u), height - edge.bottom);
    context.moveTo(edge.left, placeY(v));
    context.lineTo(width - edge.right, placeY(v));
    context.stroke();
    context.fillStyle = style.color;
    context.textAlign = "center";
    context.fillText(number(u, 2), placeX(u), height - edge.bottom + 16);
    context.textAlign = "right";
    context.fillText(number(v, 2), edge.left - 6, placeY(v) + 4);
  }
  context.textAlign = "center";
  context.fillText(metricLabel(x), (edge.left + width - edge.right) / 2, height - 8);
  context.save();
  context.translate(12, (edge.top + height - edge.bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(metricLabel(y), 0, 0);
  context.restore();
  scatter.points = answers.map((answer) => ({ answer, x: placeX(scoreOf(answer, x)), y: placeY(scoreOf(answer, y)) }));
  context.globalAlpha = answers.length > 1000 ? 0.45 : 0.75;
  for (const point of scatter.points) {
    context.fillStyle = modelColor(point.answer.model);
    context.beginPath();
    context.arc(point.x, point.y, 3.5, 0, 2 * Math.PI);
    context.fill();
  }
  if (scatter.near) {
    const point = scatter.points.find((p) => p.answer === scatter.near);
    if (point) {
      context.globalAlpha = 1;
      context.strokeStyle = style.color;
      context.lineWidth = 2;
      context.beginPath();
      context.arc(point.x, point.y, 6, 0, 2 * Math.PI);
      context.stroke();
    }
  }
  const names = `${metricLabel(y)} against ${metricLabel(x)}`;
  canvas.setAttribute("aria-label", `${names}, ${count}`);
  replace(
    byId("scatter").querySelector("figcaption"),
    scatter.near
      ? `${data.models[scatter.near.model]}, ${subsetLabel(subsetOf(scatter.near))}: ${number(scoreOf(scatter.near, y))} against ${number(scoreOf(scatter.near, x))}`
      : `${names}, ${count}`,
  );
}

function nearestPoint(event) {
  let best = null;
  let least = 12 ** 2;
  for (const point of scatter.points) {
    const distance = (point.x - event.offsetX) ** 2 + (point.y - event.offsetY) ** 2;
    if (distance < least) [best, least] = [point.answer, distance];
  }
  return best;
}

/** Fills the chosen one of the tables that `helm-structext tables` writes. */
function showTable() {
  replace(byId("table"), printedTable(condition().tables[byId("table-choice").value]));
}

/** A table as `helm-structext tables` prints it: the cells, then the note. */
function printedTable({ title, note, words, columns, rows }) {
  const head = make("tr", {}, columns.map((name, i) => make("th", { scope: "col", class: i ? "number" : null }, name)));
  const body = rows.map(([name, ...cells]) =>
    make("tr", {}, make("th", { scope: "row" }, data.models.includes(name) ? make("span", { class: "model" }, modelLabel(data.models.indexOf(name))) : name), cells.map((cell) => make("td", { class: "number" }, cell))),
  );
  const table = make("table", { class: "printed" }, make("thead", {}, head), make("tbody", {}, body));
  return [sideways(`${title}, table`, table), make("div", { class: "notes" }, notes(words, note))];
}
