import matplotlib.pyplot as plt

months = ["Jan", "Mar", "May", "Jul", "Sep", "Nov"]
rain = [48, 62, 86, 130, 74, 51]

fig, ax = plt.subplots(figsize=(7, 4.5))
bars = ax.bar(months, rain, color="steelblue", width=0.6)
ax.bar_label(bars)
ax.set_title("Rainfall in Valdivia Norte")
ax.set_xlabel("Month")
ax.set_ylabel("Rain (mm)")
ax.set_ylim(0, 150)
ax.axhline(100, color="firebrick", linestyle="--")
ax.text(-0.4, 104, "flood warning", color="firebrick")
ax.spines[["top", "right"]].set_visible(False)
plt.tight_layout()
plt.show()
