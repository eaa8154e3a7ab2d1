"""Icons of pages: strokes on a grid of 24 by 24, as the paths of SVG say them."""

ICONS = {
    "bag": "M5 8h14l1 12H4zM9 8V6a3 3 0 0 1 6 0v2",
    "bolt": "M13 3 5 14h6l-1 7 8-11h-6z",
    "book": "M4 5c3-1 6 0 8 2 2-2 5-3 8-2v14c-3-1-6 0-8 2-2-2-5-3-8-2zM12 7v14",
    "chart": "M3 20h18M6 16v-5M12 16V5M18 16V9",
    "check": "M5 12.5l4.5 4.5L19 7.5",
    "clock": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 7v5l3 3",
    "cup": "M5 8h12v6a5 5 0 0 1-5 5h-2a5 5 0 0 1-5-5zM17 9h2a2 2 0 0 1 0 5h-2M8 3v2M13 3v2",
    "drop": "M12 3c4 5 6 8 6 11a6 6 0 0 1-12 0c0-3 2-6 6-11z",
    "flag": "M6 21V4h11l-2 4 2 4H6",
    "globe": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c6 5 6 13 0 18-6-5-6-13 0-18",
    "heart": "M12 20 4 12a5 5 0 0 1 8-6 5 5 0 0 1 8 6z",
    "home": "M4 11l8-7 8 7v9h-5v-6H9v6H4z",
    "leaf": "M5 19C5 9 11 5 20 4c0 10-5 15-13 13M5 20l8-9",
    "mail": "M3 6h18v12H3zM3 7l9 6 9-6",
    "minus": "M7 12h10",
    "moon": "M20 14a8 8 0 1 1-10-10 7 7 0 0 0 10 10z",
    "mountain": "M3 19l6-11 4 7 2-3 6 7z",
    "pin": "M12 21c-4-5-6-8-6-11a6 6 0 0 1 12 0c0 3-2 6-6 11zM12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4",
    "shield": "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
    "sliders": "M4 7h8M16 7h4M4 17h4M12 17h8M14 4v6M10 14v6",
    "square": "M6 4h12a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zM9 4v16M4 9h5",
    "star": "M12 3l2.7 5.8 6.3.8-4.6 4.4 1.2 6.3-5.6-3.1-5.6 3.1 1.2-6.3L3 9.6l6.3-.8z",
    "sun": "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1 1M18 18l1 1M19 5l-1 1M6 18l-1 1",
    "tag": "M4 4h8l8 8-8 8-8-8zM8 8h.01",
    "user": "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 21c0-5 4-7 8-7s8 2 8 7",
    "wheel": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v6M12 15v6M3 12h6M15 12h6",
}
"""Name to the path of its strokes."""

REASONS = (
    "bolt",
    "clock",
    "flag",
    "globe",
    "heart",
    "leaf",
    "mail",
    "pin",
    "shield",
    "star",
    "sun",
    "tag",
)
"""Icons that suit any good reason."""

TOPIC_ICONS = ("cup", "wheel", "leaf", "square", "mountain", "drop", "globe", "sun", "book", "home")
"""The icon of each topic, in the order of the words."""

MENU_ICONS = ("home", "bag", "user", "tag", "chart", "sliders")
"""Icons of a dashboard's menu, in the order of the words."""
