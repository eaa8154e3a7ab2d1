"""Charts: bars, lines, areas, points, pies, histograms, boxes and heat maps."""

from helm_structext.scenes.chart.canvas import write_canvas
from helm_structext.scenes.chart.matplotlib import write_matplotlib
from helm_structext.scenes.chart.scene import (
    TYPES,
    ChartScene,
    chart_data,
    draw_chart,
)
from helm_structext.scenes.chart.svg import write_svg
from helm_structext.scenes.chart.tikz import write_tikz
from helm_structext.scenes.chart.vega import write_vega
from helm_structext.scenes.scene import SceneKind

__all__ = ["KIND", "ChartScene", "chart_data", "draw_chart"]

KIND = SceneKind(
    name="chart",
    types=TYPES,
    draw=draw_chart,
    writers={
        "matplotlib": write_matplotlib,
        "vega": write_vega,
        "canvas": write_canvas,
        "tikz": write_tikz,
        "svg": write_svg,
    },
)
