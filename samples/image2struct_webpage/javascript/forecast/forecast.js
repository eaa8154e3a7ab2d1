const forecast = [
  ["lunes", "sol", 27, 14],
  ["martes", "sol", 29, 15],
  ["miércoles", "nube", 24, 15],
  ["jueves", "lluvia", 19, 12],
  ["viernes", "nube", 21, 11],
];

for (const [day, icon, max, min] of forecast) {
  const card = document.createElement("div");
  card.className = "day";
  card.innerHTML = `<b>${day}</b><br>
    <img src="icons/${icon}.png" width="192" height="192" alt="${icon}">
    <div class="max">${max}°</div>
    <div class="min">${min}°</div>`;
  document.getElementById("days").append(card);
}
