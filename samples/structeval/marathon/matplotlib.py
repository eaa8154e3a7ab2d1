import matplotlib.pyplot as plt

clubs = ["Ås IL", "Rapid", "Nurmi", "Delta"]
runners = [34, 52, 19, 41]

plt.figure(figsize=(8, 4.5))
bars = plt.barh(clubs, runners, color="darkorange", height=0.6)
plt.bar_label(bars, padding=5, fontsize=14)
plt.gca().invert_yaxis()
plt.xlim(0, 60)
plt.yticks(fontsize=14)
plt.tick_params(axis="y", length=0)
plt.title("Runners per club", fontsize=18)
plt.xlabel("Number of runners", fontsize=14)
plt.tight_layout()
plt.show()
