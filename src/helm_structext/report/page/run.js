// What stands above and below the benchmarks: one table of them all, and how the suite was run.

/** The published datasets that instances were read from, with their commits. */
const readFrom = () => data.datasets.length > 0 && make("p", { class: "caption" }, `Data: ${data.datasets.join(", ")}.`);

function startRun() {
  for (const [name, tables] of [["overview", data.overview], ["run", data.settings]]) {
    byId(name).hidden = !tables.length;
    document.querySelector(`nav a[href="#${name}"]`).hidden = !tables.length;
    replace(byId(`${name}-tables`), tables.map(printedTable), name === "run" ? readFrom() || [] : []);
  }
}
