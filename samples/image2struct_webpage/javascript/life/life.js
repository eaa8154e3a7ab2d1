const size = 18;
const canvas = document.getElementById("world");
const width = canvas.width / size;
const height = canvas.height / size;
let cells = new Set();
let generation = 0;

function reset() {
  cells = new Set();
  generation = 0;
  for (const { x, y, rows } of patterns) {
    rows.forEach((row, j) => {
      [...row].forEach((mark, i) => {
        if (mark === "O") cells.add((y + j) * width + x + i);
      });
    });
  }
}

function neighbours(cell) {
  const x = cell % width;
  const y = Math.floor(cell / width);
  const found = [];
  for (let j = y - 1; j <= y + 1; j++) {
    for (let i = x - 1; i <= x + 1; i++) {
      const inside = i >= 0 && i < width && j >= 0 && j < height;
      if (inside && (i !== x || j !== y)) found.push(j * width + i);
    }
  }
  return found;
}

function step() {
  const counts = new Map();
  for (const cell of cells) {
    for (const other of neighbours(cell)) counts.set(other, (counts.get(other) ?? 0) + 1);
  }
  const next = new Set();
  for (const [cell, count] of counts) {
    if (count === 3 || (count === 2 && cells.has(cell))) next.add(cell);
  }
  cells = next;
  generation += 1;
}

function draw() {
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#161d26";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  for (const cell of cells) {
    pen.fillStyle = generation ? "#7fd1ae" : "#f4c95d";
    pen.fillRect((cell % width) * size + 1, Math.floor(cell / width) * size + 1, size - 2, size - 2);
  }
  document.getElementById("status").textContent = `generation ${generation}, ${cells.size} cells alive`;
}

document.getElementById("step").onclick = () => { step(); draw(); };
document.getElementById("reset").onclick = () => { reset(); draw(); };

reset();
for (let i = 0; i < 48; i++) step();
draw();
