// What stands above and below the benchmarks: one table of them all, and how the suite was run.

/** The published datasets that instances were read from, with their commits. */
const readFrom = () => data.datasets.length > 0 && make("p", { class: "caption" }, `Data: ${data.datasets.join(", ")}.`);

/** Says of a file that is bounded that it shows some of the answers. */
function showPartial() {
  if (!data.partial) return;
  const [some, all] = [data.partial.shown, data.partial.of].map((count) => count.toLocaleString("en"));
  const text = `This file shows ${some} of ${all} answers, chosen evenly over models, subsets and scores so that it stays below ${data.partial.megabytes} MB. Tables and charts are of all answers; a report in a folder (-o report/) shows every one.`;
  replace(byId("partial"), text);
  byId("partial").hidden = false;
}

function startRun() {
  showPartial();
  for (const [name, tables] of [["overview", data.overview], ["run", data.settings]]) {
    byId(name).hidden = !tables.length;
    document.querySelector(`nav a[href="#${name}"]`).hidden = !tables.length;
    replace(byId(`${name}-tables`), tables.map(printedTable), name === "run" ? readFrom() || [] : []);
  }
}
