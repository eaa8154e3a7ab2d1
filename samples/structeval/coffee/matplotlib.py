import matplotlib.pyplot as plt
import pandas as pd

beans = pd.DataFrame(
    {
        "altitude": [900, 1100, 1250, 1400, 1550, 1700, 1800, 1950, 2050],
        "score": [78.5, 80.0, 81.5, 81.0, 84.5, 86.0, 85.5, 88.0, 89.5],
    }
)

fig, ax = plt.subplots(figsize=(8, 5.5))
ax.scatter(beans["altitude"], beans["score"], s=120, color="saddlebrown")
best = beans.loc[beans["score"].idxmax()]
ax.annotate(
    "Finca Niebla",
    xy=(best["altitude"], best["score"]),
    xytext=(1600, 89.6),
    fontsize=13,
    arrowprops={"arrowstyle": "->"},
)
ax.set_title("Coffee: altitude and taste", fontsize=16)
ax.set_xlabel("Altitude (m)", fontsize=13)
ax.set_ylabel("Cupping score", fontsize=13)
ax.set_xlim(800, 2200)
ax.set_ylim(76, 92)
ax.tick_params(labelsize=12)
plt.show()
