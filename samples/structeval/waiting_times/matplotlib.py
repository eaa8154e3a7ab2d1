import numpy as np
import matplotlib.pyplot as plt

minutes = np.repeat([2.5, 7.5, 12.5, 17.5, 22.5], [6, 14, 21, 9, 4])
mean = minutes.mean()

fig, ax = plt.subplots(figsize=(8, 5))
ax.hist(minutes, bins=[0, 5, 10, 15, 20, 25], color="teal", edgecolor="white", linewidth=4)
ax.axvline(mean, color="black", linestyle=":")
ax.text(15.4, 19.5, f"mean: {mean:.1f} minutes", fontsize=14)
ax.set_title("Waiting at the surgery", fontsize=17)
ax.set_xlabel("Minutes", fontsize=14)
ax.set_ylabel("Patients", fontsize=14)
ax.set_xticks([0, 5, 10, 15, 20, 25])
ax.tick_params(labelsize=13)
plt.show()
