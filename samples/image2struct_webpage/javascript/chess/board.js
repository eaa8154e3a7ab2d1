// The position in Forsyth–Edwards notation, and what is known about it.
const position = "6k1/5ppp/8/8/1b6/8/5PPP/1R1Q2K1";
const facts = { "To move": "White", Material: "Queen and rook against bishop", Rating: 1450 };
const glyphs = { k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟" };

function expand(row) {
  return row.replace(/\d/g, (digit) => " ".repeat(digit)).split("");
}

function drawBoard() {
  const board = document.getElementById("board");
  position.split("/").forEach((row, y) => {
    expand(row).forEach((piece, x) => {
      const square = document.createElement("div");
      square.className = (x + y) % 2 ? "dark" : "light";
      square.textContent = glyphs[piece.toLowerCase()] ?? "";
      square.style.color = piece === piece.toUpperCase() ? "#fffdf7" : "#1b1b1b";
      board.append(square);
    });
  });
}

function drawSide() {
  const side = document.getElementById("side");
  const heading = document.createElement("h1");
  heading.textContent = "Puzzle of the day";
  side.append(heading);
  for (const [name, value] of Object.entries(facts)) {
    const line = document.createElement("div");
    line.innerHTML = `<b>${name}:</b> ${value}`;
    side.append(line);
  }
  const hint = document.createElement("button");
  hint.textContent = "Show a hint";
  hint.style.cssText = "margin-top: 30px; padding: 12px 30px; font-size: 20px";
  hint.onclick = () => (hint.textContent = "The back rank is weak.");
  side.append(hint);
}

drawBoard();
drawSide();
