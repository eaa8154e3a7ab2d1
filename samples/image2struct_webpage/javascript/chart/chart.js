const rain = {
  Jan: 64, Feb: 51, Mar: 58, Apr: 47, May: 72, Jun: 88,
  Jul: 95, Aug: 91, Sep: 70, Oct: 77, Nov: 82, Dec: 69,
};

const canvas = document.getElementById("c");
const pen = canvas.getContext("2d");
const roof = 20, ground = 700, left = 70, step = 118;
const months = Object.keys(rain);
const y = (value) => ground - (value / 100) * (ground - roof);

pen.font = "22px 'DejaVu Sans', sans-serif";
pen.textAlign = "right";
pen.textBaseline = "middle";
for (let value = 0; value <= 100; value += 20) {
  pen.fillStyle = "#555";
  pen.fillText(value, left - 12, y(value));
  pen.fillStyle = "#ddd";
  pen.fillRect(left, y(value), step * months.length, 2);
}

pen.textAlign = "center";
months.forEach((month, i) => {
  const x = left + i * step + 20;
  pen.fillStyle = rain[month] > 85 ? "#1b4f8a" : "#6fa8dc";
  pen.fillRect(x, y(rain[month]), step - 40, ground - y(rain[month]));
  pen.fillStyle = "#222";
  pen.fillText(month, x + (step - 40) / 2, ground + 26);
  pen.fillText(rain[month], x + (step - 40) / 2, y(rain[month]) - 16);
});

const mean = months.reduce((sum, month) => sum + rain[month], 0) / months.length;
pen.strokeStyle = "#c0392b";
pen.lineWidth = 3;
pen.setLineDash([12, 8]);
pen.beginPath();
pen.moveTo(left, y(mean));
pen.lineTo(left + step * months.length, y(mean));
pen.stroke();
