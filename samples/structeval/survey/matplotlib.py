import matplotlib.pyplot as plt

labels = ["Bicycle", "Tram", "On foot", "Car"]
shares = [40, 30, 20, 10]
colours = ["#2ca02c", "#1f77b4", "#ff7f0e", "#d62728"]

fig, ax = plt.subplots(figsize=(7, 6))
wedges, texts, percents = ax.pie(
    shares, labels=labels, colors=colours, autopct="%d%%", startangle=90, counterclock=False,
    wedgeprops={"edgecolor": "white", "linewidth": 3}, textprops={"fontsize": 15},
)
for percent in percents:
    percent.set_color("white")
ax.set_title("How Münster goes to work", fontsize=18)
plt.show()
