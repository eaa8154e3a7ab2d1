"""Pages of small companies: landing pages, dashboards, shops, forms, articles, prices and profiles."""

from helm_structext.scenes.page.angular import write_angular
from helm_structext.scenes.page.html import write_html
from helm_structext.scenes.page.react import write_react
from helm_structext.scenes.page.scene import PAGES, PageScene, draw_page
from helm_structext.scenes.page.vue import write_vue
from helm_structext.scenes.page.webpage import fits_window, write_webpage
from helm_structext.scenes.scene import SceneKind


def says(scene: PageScene, format: str) -> bool:
    """Says whether all of a page is on its picture in a format."""
    return format != "webpage" or fits_window(scene)


KIND = SceneKind(
    name="page",
    types=tuple(PAGES),
    draw=draw_page,
    writers={
        "html": write_html,
        "react": write_react,
        "vue": write_vue,
        "angular": write_angular,
        "webpage": write_webpage,
    },
    says=says,
)
"""Pages, in HTML and as components."""
