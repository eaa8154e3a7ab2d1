import numpy as np
import matplotlib.pyplot as plt

hours = np.arange(0, 25, 2)
height = [3.1, 4.4, 5.0, 4.5, 3.0, 1.6, 1.1, 1.7, 3.2, 4.6, 5.2, 4.5, 2.9]
model = 3.1 + 1.6 * np.sin(2 * np.pi * hours / 16)

plt.figure(figsize=(8, 5))
plt.plot(hours, height, "o-", color="green", label="measured")
plt.plot(hours, model, linestyle="dashed", color="purple", label="model")
plt.title("Tide at Port-Éole")
plt.xlabel("Hour of the day")
plt.ylabel("Water level (m)")
plt.xticks(range(0, 25, 4))
plt.xlim(0, 24)
plt.ylim(0, 6)
plt.grid(True, alpha=0.4)
plt.legend(loc="lower left")
plt.savefig("tide.png")
