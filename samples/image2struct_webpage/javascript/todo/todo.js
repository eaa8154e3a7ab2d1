const tasks = [
  { text: "Water the tomatoes", done: true },
  { text: "Return the ladder to Jonas", done: false },
  { text: "Order new bicycle lights", done: false },
  { text: "Write to grandmother", done: true },
  { text: "Book the dentist", done: false },
];

function render() {
  const left = tasks.filter((task) => !task.done).length;
  const items = tasks.map(
    (task, i) =>
      `<li class="${task.done ? "done" : ""}">
        <input type="checkbox" data-i="${i}" ${task.done ? "checked" : ""}> ${task.text}
      </li>`
  );
  document.getElementById("app").innerHTML = `
    <h1>To do</h1>
    <input size="46" placeholder="What next?" style="font: inherit"> <button style="font: inherit">Add</button>
    <ul>${items.join("")}</ul>
    <p>${left} of ${tasks.length} left</p>`;
}

document.addEventListener("change", (event) => {
  const i = event.target.dataset.i;
  if (i !== undefined) {
    tasks[i].done = event.target.checked;
    render();
  }
});

render();
