// MMR: Table 1, the radar chart of Figure 1(b), and every question with what the models answered.

const SHOT = [340, 440]; // pixels of a question's picture, at most
const RADAR = { width: 680, height: 470, radius: 165, rings: 4 };

const QUESTION = { least: 130, row: 34 }; // pixels: how tall a card about is, and more for each reply

const mmrView = { part: 0, hidden: new Set(), questions: [], list: null };

// Every answer knows its question, and its model by its place; every question its block.
let questionsBefore = 0;
const mmrParts = page.mmr.parts.map((part, i) => ({ ...part, questions: page.mmr.questions[i] }));
for (const { questions, models } of mmrParts)
  questions.forEach((question, instance) => {
    question.block = `m${questionsBefore++}`;
    question.answers.forEach((answer, place) => answer && Object.assign(answer, { bench: "mmr", instance, question, place, model: models[place] }));
  });

const part = () => mmrParts[mmrView.part];

/** What a filter by text looks at of a question's block. */
const wordsOfQuestion = ({ text, replies }) => [text, ...replies];


/** A question's answers, the best model's first: those of the model that is chosen, or all. */
const answersTo = (question) => {
  const only = byId("mmr-filters").model.value;
  return question.answers.filter((answer) => answer && (only === "" || answer.model === Number(only)));
};

/** Those of them that have the outcome, too, that the filter asks for. */
const answersAskedFor = (question) => {
  const [, outcome] = MMR_OUTCOMES[byId("mmr-filters").outcome.value];
  return answersTo(question).filter(outcome);
};

/** The first of these: it stands for the question. */
const firstAnswer = (question) => answersAskedFor(question)[0];

const MMR_OUTCOMES = {
  "": ["all", () => true],
  right: ["right", ({ right }) => right === 1],
  wrong: ["wrong", ({ right }) => right !== null && right < 1],
  unreadable: ["unreadable", ({ said, unhandled }) => said === null && !unhandled],
  unhandled: ["not handled", ({ unhandled }) => unhandled],
  truncated: ["truncated", ({ truncated }) => truncated],
  refused: ["refused", ({ refused }) => refused],
};

/** Fills all of the section with one part: a source, asked in one way. */
function showMMR(index) {
  mmrView.part = index;
  const { note, words, tables, tasks, models } = part();
  replace(byId("mmr-caption"), notes(words, note));
  showMMRTable();
  showRadar();
  replace(byId("mmr-tables"), make("summary", {}, "More tables"), tables.map((table) => [make("h3", {}, table.title), printedTable(table)]));
  const form = byId("mmr-filters");
  options(form.task, [["", "all"], ...Object.entries(tasks)]);
  options(form.model, [["", "any"], ...models.map((model) => [model, data.models[model]])]);
  options(form.outcome, Object.entries(MMR_OUTCOMES).map(([name, [label]]) => [name, label]));
  recallFilters(form, "mmr");
  showQuestions();
}

/** Table 1, with what each count is out of. */
function showMMRTable() {
  const { columns, sizes, models, counts, tied } = part();
  const sum = (values) => values.reduce((total, value) => total + (value ?? 0), 0);
  const best = columns.map((_, i) => Math.max(...counts.map((row) => row[i] ?? -1)));
  const totals = counts.map(sum);
  const cell = (value, size, isBest) =>
    make("td", { class: `number${isBest ? " best" : ""}`, title: value == null ? null : `${value} of ${size}` }, value ?? "–");
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "Model"),
    columns.map(([name, task], i) =>
      make(
        "th",
        { scope: "col", class: "number" },
        make("button", { type: "button", class: "plain", title: `Show: ${part().tasks[task] ?? task}`, onclick: () => chooseQuestions({ task }) }, name),
        make("small", {}, `of ${sizes[i]}`),
      ),
    ),
    make("th", { scope: "col", class: "number" }, "Total", make("small", {}, `of ${sum(sizes)}`)),
    make("th", { scope: "col", class: "number" }, "Tied"),
  );
  const rows = models.map((model, i) =>
    make(
      "tr",
      {},
      make(
        "th",
        { scope: "row" },
        make("button", { type: "button", class: "plain model", title: "Show what it got wrong", onclick: () => chooseQuestions({ model, outcome: "wrong" }) }, modelLabel(model)),
      ),
      columns.map((_, j) => cell(counts[i][j], sizes[j], counts[i][j] === best[j])),
      cell(totals[i], sum(sizes), totals[i] === Math.max(...totals)),
      make("td", { class: "number" }, tied[i] ?? "–"),
    ),
  );
  replace(byId("mmr-table"), make("table", { class: "board" }, make("thead", {}, head), make("tbody", {}, rows)));
}

/** The radar chart: an axis for each column of Table 1, a line for each model. */
function showRadar() {
  const { columns, sizes, models, counts } = part();
  const { width, height, radius, rings } = RADAR;
  const [x0, y0] = [width / 2, height / 2];
  const axes = columns.map((_, i) => i).filter((i) => sizes[i]);
  const place = (axis, share) => {
    const angle = (2 * Math.PI * axis) / axes.length - Math.PI / 2;
    return [x0 + radius * share * Math.cos(angle), y0 + radius * share * Math.sin(angle)];
  };
  const outline = (shares) => shares.map((share, axis) => place(axis, share).map((v) => v.toFixed(1)).join(",")).join(" ");
  const grid = Array.from({ length: rings }, (_, ring) => {
    const share = (ring + 1) / rings;
    return [
      draw("polygon", { class: "ring", points: outline(axes.map(() => share)) }),
      draw("text", { class: "tick", x: x0 + 4, y: y0 - radius * share - 3 }, `${100 * share}%`),
    ];
  });
  const spokes = axes.map((column, axis) => {
    const [x, y] = place(axis, 1);
    const [u, v] = place(axis, 1.14);
    const anchor = Math.abs(u - x0) < 12 ? "middle" : u < x0 ? "end" : "start";
    return [
      draw("line", { class: "ring", x1: x0, y1: y0, x2: x, y2: y }),
      draw("text", { x: u, y: v + 5, "text-anchor": anchor }, columns[column][0]),
    ];
  });
  const shown = models.map((model, i) => [model, counts[i]]).filter(([model]) => !mmrView.hidden.has(model));
  // The best stand in front.
  const lines = shown.toReversed().map(([model, row]) => {
    const shares = axes.map((column) => (row[column] ?? 0) / sizes[column]);
    const dots = shares.map((share, axis) => {
      const [x, y] = place(axis, share);
      return draw("circle", { cx: x, cy: y, r: 3 }, draw("title", {}, `${data.models[model]}, ${columns[axes[axis]][0]}: ${row[axes[axis]] ?? "–"} of ${sizes[axes[axis]]}`));
    });
    return draw("g", { class: "line", style: { color: modelColor(model) } }, draw("polygon", { points: outline(shares) }), dots);
  });
  const chart = draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Shares of right answers of ${shown.length} models in ${axes.length} columns of Table 1` },
    grid.flat(),
    spokes.flat(),
    lines,
  );
  const keys = models.map((model) =>
    make(
      "button",
      {
        type: "button",
        "aria-pressed": String(!mmrView.hidden.has(model)),
        onclick: () => {
          if (!mmrView.hidden.delete(model)) mmrView.hidden.add(model);
          showRadar();
        },
      },
      modelLabel(model),
    ),
  );
  replace(byId("mmr-radar"), chart, make("figcaption", {}, keys));
}

/** Goes to the questions, with these filters and no others. */
function chooseQuestions(filters) {
  const form = byId("mmr-filters");
  for (const name of ["text", "task", "model", "outcome"]) form[name].value = filters[name] ?? "";
  showQuestions();
  hold(form.previousElementSibling);
}

/** Shows the questions that pass the filters; pictures come when their cards do. */
function showQuestions() {
  const form = byId("mmr-filters");
  const [text, task] = [form.text.value, form.task.value];
  const { questions } = part();
  const unread = [];
  const fits = textFilter(form.text.value, unread);
  const fitting = questions.filter(
    (q) =>
      (task === "" || q.task === task) &&
      answersAskedFor(q).length &&
      (text === "" || fits([q.block], [q.id, ...Object.values(q.truth)].join("\n"), wordsOfQuestion)),
  );
  rememberFilters(form, "mmr");
  mmrView.questions = fitting;
  const total = questions.length;
  const reading = unread.length ? `, ${unread.length} to read` : "";
  replace(byId("mmr-count"), fitting.length < total ? `${fitting.length} of ${total}${reading}` : `${total} question${total === 1 ? "" : "s"}`);
  showItems(mmrView.list, fitting);
  showGrid("mmr");
  readOn("mmr", unread, showQuestions);
}

/** A rectangle over a picture, in fractions of it; a reversed or stretched one is what it is. */
function boxOver([x1, y1, x2, y2], attributes) {
  const [left, right] = [x1, x2].map((v) => clamp(v, 0, 1)).sort((a, b) => a - b);
  const [top, bottom] = [y1, y2].map((v) => clamp(v, 0, 1)).sort((a, b) => a - b);
  const place = { x: left, y: top, width: right - left, height: bottom - top };
  return [draw("rect", { ...place, class: "casing" }), draw("rect", { ...place, ...attributes })];
}

/** The boxes that some answers to a question say, and the true one, over its picture. */
function boxesOver(question, answers) {
  return draw(
    "svg",
    { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true", class: "boxes" },
    answers
      .filter(({ said }) => said?.box)
      .map(({ model, said }) => draw("g", { class: "predicted", "data-model": model, style: { color: modelColor(model) } }, boxOver(said.box, {}))),
    question.truth.box && boxOver(question.truth.box, { class: "truth" }),
  );
}

const scoreNames = { iou: "IoU", pnls: "PNLS" };

/** How tall a question's card about is: as its picture, or as its replies. */
const questionHeight = (question) =>
  Math.max(fit(data.pictures[question.picture], SHOT)[1] + 30, QUESTION.least + QUESTION.row * answersTo(question).length);

/** A card without its texts and its picture, in which these have their places. */
function questionCard(question) {
  const { tasks } = part();
  const [width, height] = data.pictures[question.picture];
  const size = fit([width, height], SHOT);
  const answers = answersTo(question);
  const over = boxesOver(question, answers);
  const shot = make(
    "div",
    { class: "shot", style: { width: `${size[0]}px`, aspectRatio: `${width} / ${height}` }, title: "Large view (Enter)", onclick: () => open(firstAnswer(question)) },
    make("img", { alt: `The picture of ${question.id}` }),
    over,
  );
  const point = (model, on) => over.querySelector(`[data-model="${model}"]`)?.classList.toggle("pointed", on);
  const rows = answers.map((answer) =>
    make(
      "tr",
      { onmouseenter: () => point(answer.model, true), onmouseleave: () => point(answer.model, false) },
      make("th", { scope: "row" }, make("button", { type: "button", class: "plain model", title: "Large view", onclick: () => open(answer) }, modelLabel(answer.model))),
      make("td", {}, answer.unhandled ? "not handled" : verdict(answer.right)),
      make("td", { class: "reply" }),
      make(
        "td",
        { class: "values" },
        Object.entries(answer.scores).map(([name, value]) => make("span", {}, `${scoreNames[name]} `, make("b", {}, number(value)))),
        badges(answer),
      ),
    ),
  );
  const card = make(
    "div",
    { class: "question", "aria-label": `${tasks[question.task]}: ${question.id}` },
    shot,
    make(
      "div",
      { class: "asked" },
      make("header", {}, make("span", { class: "subset" }, tasks[question.task]), make("code", {}, question.id)),
      make("p", { class: "text" }),
      make("p", { class: "truth" }, make("b", {}, "Truth ")),
      sideways(`Replies to ${question.id}`, make("table", { class: "replies" }, make("tbody", {}, rows))),
    ),
  );
  card.fill = () => fillQuestion(card, question, answers);
  return card;
}

async function fillQuestion(card, question, answers) {
  const { text, replies } = await blockOf(question.block);
  card.setAttribute("aria-label", `${part().tasks[question.task]}: ${text.split("\n")[0]}`);
  card.querySelector(".text").append(text);
  card.querySelector(".truth").append(saidText(question.truth, text));
  for (const [i, place] of [...card.querySelectorAll(".reply")].entries()) {
    const answer = answers[i];
    place.append(saidText(answer.said, text) ?? make("i", {}, "not readable"), rawReply(answer, replies[answer.place]) ?? "");
  }
  await load(card.querySelector("img"), question.picture, true);
}

const verdict = (right) =>
  make("span", { class: `verdict ${right === 1 ? "right" : right ? "half" : "wrong"}` }, right === 1 ? "✓ right" : right ? "half right" : "✗ wrong");

/** What an answer or a reply to a question says, or null where it says nothing readable. */
function saidText(said, asked) {
  if (!said) return null;
  const choices = asked.split("\n").filter((line) => line.startsWith(`${said.choice}.`) || line.startsWith(`${said.choice})`));
  return [
    "choice" in said && (choices[0] ?? `${said.choice}`),
    "text" in said && `“${said.text}”`,
    "box" in said && `[${said.box.map((v) => number(v, 3)).join(", ")}]`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** The reply itself, where what was read of it does not already say all. */
function rawReply({ said }, reply) {
  const bare = (text) => (text ?? "").replace(/[\s"“”]/g, "");
  const read = said && ("choice" in said ? `${said.choice}` : "text" in said && !("box" in said) ? said.text : null);
  if (read !== null && bare(read) === bare(reply)) return null;
  if (said?.box && /^\s*(".*?",? )?\[[^[\]]*\]\s*$/s.test(reply)) return null;
  return make("pre", {}, reply.trim() ? reply : "(nothing)");
}

benches.mmr = {
  title: "MMR",
  section: "mmr",
  form: "mmr-filters",
  present: () => mmrParts.length > 0,
  all: () => part().questions.flatMap(({ answers }) => answers.filter(Boolean)),
  models: () => part().models,
  list: () => mmrView.questions.map(firstAnswer),
  listed: () => mmrView.questions.flatMap(answersAskedFor),
  cards: () => mmrView.list,
  value: ({ right }) => right,
  condition: () => part().label,
  part: ({ question }) => question.task,
  label: ({ question }) => part().tasks[question.task],
  id: ({ question }) => question.id,
  remarks: () => [],
  hasReference: () => true,
  scores: ({ right, scores }) => [["Right", right], ...Object.entries(scores).map(([name, value]) => [scoreNames[name], value])],
  filterByModel(model) {
    byId(this.form).model.value = model ?? "";
    showQuestions();
    selectItem(mmrView.list, 0);
  },

  shot: (answer, other) => ({
    input: answer.question.picture,
    rendering: null,
    against: null,
    title: answer.question.id,
    over: () => boxesOver(answer.question, [answer, other].filter(Boolean)),
  }),

  async code({ question, place }) {
    const { truth } = question;
    const { text, replies } = await blockOf(question.block);
    const reply = replies[place];
    const reference = [truth.text, truth.box && saidText({ box: truth.box }, text), "choice" in truth && `${truth.choice}`].filter(Boolean).join("\n");
    return { completion: reply, content: reply, reference, language: "code" };
  },

  async facts(answer) {
    const { question, place } = answer;
    const { text, replies, asked } = await blockOf(question.block);
    return [
      make("p", {}, answer.unhandled ? "not handled" : verdict(answer.right), " ", badges(answer)),
      factPart("Question", make("p", { class: "text" }, text)),
      factPart("Truth", make("p", {}, saidText(question.truth, text))),
      factPart("What was read of the reply", make("p", {}, saidText(answer.said, text) ?? make("i", {}, "not readable"))),
      factPart("Scores", scoreTable(this, answer)),
      codePart("Reply", replies[place]),
      askedPart(asked[place]),
    ];
  },
};

function startMMR() {
  const here = mmrParts.length > 0;
  byId("mmr").hidden = !here;
  document.querySelector('nav a[href="#mmr"]').hidden = !here;
  if (!here) return;
  const choice = byId("mmr-part");
  offerConditions("mmr", choice, "mmr", mmrParts.map(({ label }) => label));
  replace(
    byId("mmr-legend"),
    make("li", {}, make("span", { class: "stroke truth" }), "true box"),
    make("li", {}, make("span", { class: "stroke" }), "predicted box, in the model’s color; point at a reply to find its box"),
  );
  startGrid("mmr");
  mmrView.list = newList(byId("mmr-list"), byId("mmr-filters"), questionHeight, questionCard);
  showMMR(choice.selectedIndex);
  choice.addEventListener("change", () => showMMR(choice.selectedIndex));
  const form = byId("mmr-filters");
  onFilter(form, showQuestions);
  form.addEventListener("reset", () => setTimeout(showQuestions));
}
