// StructEval: Table 6, the score of every task, and every answer: query, rendering, verdicts.

const STRUCT_HEIGHT = 330; // pixels: how tall a card about is

const structView = { board: 0, answers: [], list: null };

const structData = { ...page.structeval, answers: records(page.structeval.answers) };
const struct = () => structData;
struct().answers.forEach((answer, index) => Object.assign(answer, { index, bench: "structeval" }));
struct().boards.forEach((board, i) => (board.answers = struct().shown[i].map((index) => struct().answers[index])));
const structBoard = () => struct().boards[structView.board];
const structInstance = (answer) => struct().instances[answer.instance];
const structTask = (answer) => struct().tasks[structInstance(answer).task];
const structScore = (answer) => answer.scores[0];
const countOf = (text, letter) => text.split(letter).length - 1;

const STRUCT_OUTCOMES = {
  "": ["all", () => true],
  good: ["parsed or rendered", (a) => a.scores[1] === 1],
  bad: ["failed", (a) => a.scores[1] === 0],
  ...Object.fromEntries(data.kinds.map((kind) => [kind, [`failed: ${kind}`, (a) => a.kind === kind]])),
  right: ["judge: all true", (a) => a.verdicts && countOf(a.verdicts, "1") === a.verdicts.length],
  wrong: ["judge: something wrong", (a) => a.asked && countOf(a.verdicts, "1") < a.verdicts.length],
  unreadable: ["judge: unreadable", (a) => !a.readable],
  truncated: ["truncated", (a) => a.truncated],
  refused: ["refused", (a) => a.refused],
};

const STRUCT_ORDERS = ordersBy(structScore);

/** Fills all of the section with one board: one judge's, under one protocol. */
function showStruct(index) {
  structView.board = index;
  const { note, words, title, comparable, judge, tables, models, tasks } = structBoard();
  byId("structeval-warning").hidden = comparable;
  replace(byId("structeval-warning"), `Not comparable: ${judge} is no vision-language model.`);
  replace(byId("structeval-caption"), notes(words, note));
  byId("structeval-table").setAttribute("aria-label", title);
  showStructTable();
  showStructTasks();
  replace(
    byId("structeval-tables"),
    make("summary", {}, "More tables"),
    tables.map((table) => [make("h3", {}, table.title), printedTable(table)]),
  );
  const form = byId("structeval-filters");
  const groups = Object.entries(struct().subsets).map(([subset, label]) => [
    label,
    [[subset, `${label}, all`], ...Object.keys(tasks).filter((task) => struct().tasks[task].subset === subset).map((task) => [task, struct().tasks[task].name])],
  ]);
  options(form.task, [["", "all"], ...groups.filter(([, choices]) => choices.length > 1)]);
  options(form.model, [["", "all"], ...models.map((model) => [model, data.models[model]])]);
  const outcomes = Object.entries(STRUCT_OUTCOMES).filter(([name, [, test]]) => !name || structBoard().answers.some(test));
  options(form.outcome, outcomes.map(([name, [label]]) => [name, label]));
  options(form.order, Object.entries(STRUCT_ORDERS).map(([name, [label]]) => [name, label]));
  recallFilters(form, "structeval");
  showStructAnswers();
}

/** Table 6, with a bar for each mean. */
function showStructTable() {
  const { columns, models, means, tied } = structBoard();
  const best = columns.map((_, i) => Math.max(...means.map((row) => row[i]?.[0] ?? -1)));
  const head = make("tr", {}, make("th", { scope: "col" }, "Model"), [...columns, "Tied"].map((name) => make("th", { scope: "col", class: "number" }, name)));
  const rows = models.map((model, i) =>
    make(
      "tr",
      {},
      make(
        "th",
        { scope: "row" },
        make("button", { type: "button", class: "plain model", title: "Show its answers, lowest first", onclick: () => chooseStruct({ model, order: "worst" }) }, modelLabel(model)),
      ),
      means[i].map((figure, j) =>
        make(
          "td",
          { class: `number${figure?.[0] === best[j] ? " best" : ""}` },
          figure ? [bar({ mean: figure[0] / 100 }, modelColor(model)), figure[1]] : "–",
        ),
      ),
      make("td", { class: "number" }, tied[i] ?? "–"),
    ),
  );
  replace(byId("structeval-table"), make("table", { class: "board" }, make("thead", {}, head), make("tbody", {}, rows)));
}

/** Every task's score of every model, shaded; a cell shows its answers. */
function showStructTasks() {
  const { models, tasks } = structBoard();
  const head = make("tr", {}, make("th", { scope: "col" }, "Task"), models.map((model) => make("th", { scope: "col" }, make("span", {}, data.models[model]))));
  const bodies = Object.entries(struct().subsets).map(([subset, label]) => {
    const ours = Object.entries(tasks).filter(([task]) => struct().tasks[task].subset === subset);
    if (!ours.length) return null;
    return make(
      "tbody",
      {},
      make("tr", { class: "subset" }, make("th", { scope: "rowgroup", colspan: models.length + 1 }, label)),
      ours.map(([task, means]) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, struct().tasks[task].name),
          means.map((figure, i) =>
            !figure
              ? make("td", { class: "none" }, "–")
              : make(
                  "td",
                  { class: "plus" },
                  make(
                    "button",
                    { type: "button", class: "plain cell", title: `${data.models[models[i]]}: show the answers`, style: { "--share": figure[0] * 0.008 }, onclick: () => chooseStruct({ task, model: models[i] }) },
                    figure[1],
                  ),
                ),
          ),
        ),
      ),
    );
  });
  replace(byId("structeval-tasks"), make("table", { class: "heat" }, make("thead", {}, head), bodies.filter(Boolean)));
}

/** Goes to the answers, with these filters and no others. */
function chooseStruct(filters) {
  const form = byId("structeval-filters");
  for (const name of ["text", "task", "model", "outcome"]) form[name].value = filters[name] ?? "";
  form.order.value = filters.order ?? "instance";
  showStructAnswers();
  hold(form.previousElementSibling);
}

/** What a filter by text looks at of the blocks of an answer and of its instance. */
const wordsOfStruct = ({ completion, error }, { query, keywords, pairs }) => [completion, error, query, ...keywords, ...pairs.flat()];

/** Shows the answers that pass the filters. */
function showStructAnswers() {
  const form = byId("structeval-filters");
  const [text, task, model] = [form.text.value, form.task.value, form.model.value];
  const [, outcome] = STRUCT_OUTCOMES[form.outcome.value];
  const [, order] = STRUCT_ORDERS[form.order.value];
  const all = structBoard().answers;
  const unread = [];
  const fits = textFilter(text, unread);
  const passing = all.filter((answer) => {
    const isOf = task === "" || structInstance(answer).task === task || structTask(answer).subset === task;
    return isOf && (model === "" || answer.model === Number(model)) && outcome(answer) &&
      (text === "" || fits([`s${answer.index}`, `q${answer.instance}`], structInstance(answer).id, wordsOfStruct));
  });
  structView.answers = sortedBy(order, passing, structBoard().models);
  rememberFilters(form, "structeval");
  const count = structView.answers.length;
  const reading = unread.length ? `, ${unread.length} to read` : "";
  replace(byId("structeval-count"), count < all.length ? `${count} of ${all.length}${reading}` : `${count} answer${count === 1 ? "" : "s"}`);
  showItems(structView.list, structView.answers);
  showGrid("structeval");
  readOn("structeval", unread, showStructAnswers);
}

/** A card without its texts and its picture, in which these have their places. */
function structCard(answer) {
  const { id } = structInstance(answer);
  const { name, rendered } = structTask(answer);
  const size = answer.rendering === null ? null : data.pictures[answer.rendering];
  const scores = struct().metrics.map((label, i) => [label, answer.scores[i]]).filter(([, value]) => value !== null);
  const title = `${data.models[answer.model]}, ${name}, ${id}`;
  const shot = size && make(
    "div",
    { class: "shot", style: { width: `${fit(size, [460, 340])[0]}px`, aspectRatio: `${size[0]} / ${size[1]}` }, title: "Large view (Enter)", onclick: () => open(answer) },
    make("img", { alt: `Rendering of ${title}` }),
  );
  const card = make(
    "div",
    { class: "struct", "aria-label": title },
    make(
      "header",
      {},
      make("button", { type: "button", class: "plain model", title: "Large view (Enter)", onclick: () => open(answer) }, modelLabel(answer.model)),
      make("span", { class: "subset" }, name),
      make("code", {}, id),
      make("span", { class: "space" }),
      badges(answer),
      scores.map(([label, value]) => make("span", { class: "value" }, `${label} `, make("b", {}, number(value)))),
    ),
    make("div", { class: "query" }, make("h4", {}, "Query"), make("pre", { tabindex: 0 })),
    make("div", { class: "result" }, make("h4", {}, rendered ? "Rendering" : "Completion"), shot, make("pre", { tabindex: 0 })),
    make("div", { class: "judged" }, make("h4", {}, rendered ? judgeName(answer) : "Paths"), make("ol", {})),
  );
  card.fill = () => fillStructCard(card, answer);
  return card;
}

function judgeName(answer) {
  const { judge, comparable } = structBoard();
  const who = `${judge}${comparable ? "" : " (not comparable)"}`;
  if (!answer.verdicts) return "No judge";
  if (!answer.asked) return `${who}: not asked, no picture`;
  if (!answer.readable) return `${who}: unreadable`;
  return `${who}: ${countOf(answer.verdicts, "1")} of ${answer.verdicts.length}`;
}

const MARKS = { 1: ["✓", "right", "true"], 0: ["✗", "wrong", "false"], "-": ["–", "none", "no verdict"] };

/** What was asked about an answer, with the verdicts: its pairs of question and answer, its paths or keywords. */
function verdictLists(answer, { keywords, pairs }, { found, reply }) {
  const item = (letter, ...content) => {
    const [sign, kind, said] = MARKS[letter] ?? ["", "none", "not judged"];
    return make("li", {}, make("span", { class: `verdict ${kind}`, title: said, role: "img", "aria-label": said }, sign), make("span", {}, content));
  };
  const list = (items) => make("ol", { tabindex: 0 }, items);
  const words = list(keywords.map((keyword, i) => item(found[i], make("code", {}, keyword))));
  const asked = list(pairs.map(([question, expected], i) => item(answer.verdicts[i], question, " ", make("b", {}, expected))));
  const summary = make("summary", {}, `Keywords: ${countOf(found, "1")} of ${found.length}`);
  return [
    structTask(answer).rendered ? [asked, make("details", {}, summary, words)] : words,
    reply !== null && make("pre", { tabindex: 0 }, reply || "(nothing)"),
  ];
}

const structBlocks = (answer) => Promise.all([blockOf(`q${answer.instance}`), blockOf(`s${answer.index}`)]);

async function fillStructCard(card, answer) {
  const [asked, said] = await structBlocks(answer);
  const { completion, error } = said;
  replace(card.querySelector(".query pre"), asked.query);
  const code = card.querySelector(".result pre");
  if (answer.rendering === null) {
    replace(code, error && make("b", {}, `${message(answer, error)}\n`), completion.trim() ? completion : "(nothing)");
  } else {
    code.replaceWith(make("details", {}, make("summary", {}, "Completion"), make("pre", { tabindex: 0 }, completion)));
  }
  card.querySelector(".judged ol").replaceWith(...verdictLists(answer, asked, said).flat(Infinity).filter(Boolean));
  const image = card.querySelector("img");
  if (image) await load(image, answer.rendering, true);
}

benches.structeval = {
  title: "StructEval",
  section: "structeval",
  form: "structeval-filters",
  present: () => struct().boards.length > 0,
  all: () => structBoard().answers,
  models: () => structBoard().models,
  list: () => structView.answers,
  cards: () => structView.list,
  value: structScore,
  condition: () => structBoard().label,
  part: (answer) => structInstance(answer).task,
  label: (answer) => structTask(answer).name,
  id: (answer) => structInstance(answer).id,
  remarks: () => [],
  hasReference: () => false,
  scores: (answer) => struct().metrics.map((label, i) => [label, answer.scores[i]]),
  filterByModel(model) {
    byId(this.form).model.value = model ?? "";
    showStructAnswers();
    selectItem(structView.list, 0);
  },

  // There is no reference: pictures are compared with other models'.
  shot: (answer, other) => ({
    input: null,
    rendering: answer.rendering,
    against: other?.rendering ?? null,
    againstName: other && `Rendering of ${data.models[other.model]}`,
    title: `${structInstance(answer).id} by ${data.models[answer.model]}`,
  }),

  async code(answer) {
    const { completion } = await blockOf(`s${answer.index}`);
    return { completion, content: completion, reference: "", language: structTask(answer).language };
  },

  async facts(answer) {
    const [asked, said] = await structBlocks(answer);
    return [
      make("p", { class: "error" }, badges(answer), message(answer, said.error)),
      factPart("Scores", scoreTable(this, answer)),
      codePart("Query", asked.query),
      factPart(structTask(answer).rendered ? judgeName(answer) : "Paths", make("div", { class: "judged" }, verdictLists(answer, asked, said))),
      codePart("Completion", said.completion),
      askedPart(said.asked),
    ];
  },
};

function startStruct() {
  const here = struct().boards.length > 0;
  byId("structeval").hidden = !here;
  document.querySelector('nav a[href="#structeval"]').hidden = !here;
  if (!here) return;
  const choice = byId("structeval-board");
  offerConditions("structeval", choice, "structeval", struct().boards.map(({ label }) => label));
  startGrid("structeval");
  structView.list = newList(byId("structeval-list"), byId("structeval-filters"), () => STRUCT_HEIGHT, structCard);
  showStruct(choice.selectedIndex);
  choice.addEventListener("change", () => showStruct(choice.selectedIndex));
  const form = byId("structeval-filters");
  onFilter(form, showStructAnswers);
  form.addEventListener("reset", () => setTimeout(showStructAnswers));
}
