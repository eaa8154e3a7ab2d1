import matplotlib.pyplot as plt

years = ["2010", "2015", "2020"]
parts = {
    "Coal": ([42, 30, 12], "dimgray"),
    "Wind": ([10, 25, 45], "royalblue"),
    "Solar": ([3, 12, 28], "gold"),
}

fig, ax = plt.subplots(figsize=(7, 5))
bottom = [0, 0, 0]
for name, (values, colour) in parts.items():
    bars = ax.bar(years, values, bottom=bottom, label=name, color=colour, width=0.55)
    bottom = [low + value for low, value in zip(bottom, values)]
for year, total in enumerate(bottom):
    ax.text(year, total + 1.5, f"{total} TWh", ha="center", fontsize=13)
ax.set_ylim(0, 100)
ax.set_title("Electricity of Norderland", fontsize=16)
ax.set_ylabel("Energy (TWh)", fontsize=12)
ax.tick_params(labelsize=12)
ax.legend(loc="upper left", fontsize=12)
plt.show()
