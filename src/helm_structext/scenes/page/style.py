"""How pages look: the rules of their style, in CSS, and the names that colours have in them.

A rule is a class with its declarations. Values name what a theme decides with a dollar, such as ``$primary``.
"""

from collections.abc import Iterable, Mapping, Sequence
from string import Template
from textwrap import wrap

from helm_structext.scenes.page.scene import PageTheme

Declarations = Mapping[str, str]
"""Property of CSS to its value."""

SHADOW = "0 6px 20px rgba(15, 23, 42, 0.10)"

CARDS: Mapping[str, Declarations] = {
    "bordered": {"background": "$surface", "border": "1px solid $line"},
    "raised": {"background": "$surface", "box-shadow": SHADOW},
    "tinted": {"background": "$soft"},
}
HEADERS: Mapping[str, Mapping[str, Declarations]] = {
    "light": {
        "header": {"background": "$surface", "border-bottom": "1px solid $line"},
        "nav-link": {"color": "$muted"},
        "nav-link-active": {"color": "$primary"},
    },
    "colored": {
        "header": {"background": "$primary", "color": "$contrast"},
        "nav-link": {"color": "$contrast"},
        "nav-link-active": {"text-decoration": "underline", "text-underline-offset": "6px"},
        "logo-mark": {"background": "$contrast", "color": "$primary"},
        "header-action": {"background": "$contrast", "color": "$primary", "border": "1px solid $contrast"},
    },
}  # fmt: skip

RULE_LINE = 110
"""Characters of a line of a style sheet."""

RESET: Mapping[str, Declarations] = {
    "*": {"box-sizing": "border-box", "margin": "0", "padding": "0"},
    "ul": {"list-style": "none"},
    "a": {"color": "inherit", "text-decoration": "none"},
}

BY_TAG: Mapping[str, Declarations] = {
    **{tag: {"margin": "0"} for tag in ("h1", "h2", "h3", "h4", "p", "blockquote")},
    "ul": {"margin": "0", "padding": "0", "list-style": "none"},
    "a": {"color": "inherit", "text-decoration": "none"},
}
"""What `RESET` says of elements, for frameworks of styles that say something else."""


def style_rules(theme: PageTheme) -> dict[str, dict[str, str]]:
    """Returns the rules of a theme: class to its declarations, in the order of a style sheet."""
    card = CARDS[theme.card]
    heading = {"font-family": "$heading", "font-weight": str(theme.heading_weight)}
    row = {"display": "flex", "align-items": "center"}
    column = {"display": "flex", "flex-direction": "column"}
    stroke = {"display": "block", "fill": "none", "stroke": "currentColor", "stroke-width": "2",
              "stroke-linecap": "round", "stroke-linejoin": "round"}  # fmt: skip
    middle = theme.align == "center"
    band = f"{theme.space}px 0"
    rules: dict[str, Declarations] = {
        "page": {**column, "min-height": "100vh", "background": "$page", "color": "$ink",
                 "font-family": "$body", "font-size": "16px", "line-height": "1.6"},
        "main": {"flex": "1"},
        "grow": {"flex": "1"},
        "container": {"width": "100%", "max-width": "1120px", "margin": "0 auto", "padding": "0 24px"},
        "header": {},
        "header-row": {**row, "justify-content": "space-between", "gap": "24px", "height": "72px"},
        "logo": {**row, "gap": "10px", **heading, "font-size": "20px", "white-space": "nowrap"},
        "sidebar-logo": {"font-size": "18px", "line-height": "1.3", "white-space": "normal"},
        "logo-mark": {**row, "justify-content": "center", "width": "32px", "height": "32px", "flex-shrink": "0",
                      "border-radius": "$small", "background": "$primary", "color": "$contrast"},
        "icon": {**stroke, "width": "20px", "height": "20px", "flex-shrink": "0"},
        "nav": {**row, "gap": "28px"},
        "nav-link": {"font-size": "15px", "font-weight": "500", "white-space": "nowrap", "cursor": "pointer"},
        "nav-link-active": {},
        "button": {"display": "inline-flex", "align-items": "center", "justify-content": "center",
                   "padding": "11px 22px", "border": "1px solid $primary", "border-radius": "$button",
                   "background": "$primary", "color": "$contrast", "font-family": "inherit", "font-size": "15px",
                   "font-weight": "600", "line-height": "1.4", "white-space": "nowrap", "cursor": "pointer"},
        "button-quiet": {"background": "transparent", "color": "$ink", "border": "1px solid $edge"},
        "button-light": {"background": "$contrast", "color": "$primary", "border": "1px solid $contrast"},
        "button-wide": {"width": "100%"},
        "header-action": {"padding": "9px 18px"},
        "buttons": {"display": "flex", "gap": "12px", "flex-wrap": "wrap"},
        "section": {"padding": band},
        "section-soft": {"background": "$soft"},
        "section-head": {**column, "gap": "8px", "margin-bottom": "32px",
                         **({"align-items": "center", "text-align": "center"} if middle else {})},
        "section-title": {**heading, "font-size": "30px", "line-height": "1.25"},
        "section-text": {"max-width": "640px", "color": "$muted"},
        "eyebrow": {"font-size": "14px", "font-weight": "600", "letter-spacing": "0.5px", "color": "$primary"},
        # Hero
        "hero": {"padding": f"{theme.space + 8}px 0", **({"background": "$soft"} if theme.card != "tinted" else {})},
        "hero-split": {"display": "grid", "grid-template-columns": "repeat(2, 1fr)", "gap": "56px",
                       "align-items": "center"},
        "hero-center": {**column, "align-items": "center", "text-align": "center"},
        "hero-copy": {**column, "gap": "18px", "align-items": "flex-start"},
        "hero-copy-center": {"align-items": "center", "max-width": "760px"},
        "hero-title": {**heading, "font-size": "44px", "line-height": "1.15"},
        "hero-text": {"font-size": "18px", "color": "$muted"},
        "picture": {"display": "block", "width": "100%", "height": "300px", "border-radius": "$radius",
                    "overflow": "hidden"},
        # Cards in grids
        "grid-2": {"display": "grid", "grid-template-columns": "repeat(2, 1fr)", "gap": "24px"},
        "grid-3": {"display": "grid", "grid-template-columns": "repeat(3, 1fr)", "gap": "24px"},
        "grid-4": {"display": "grid", "grid-template-columns": "repeat(4, 1fr)", "gap": "24px"},
        "card": {**column, "gap": "12px", "padding": "24px", "border-radius": "$radius", **card},
        "card-title": {**heading, "font-size": "18px", "line-height": "1.35"},
        "card-text": {"font-size": "15px", "color": "$muted"},
        "card-icon": {**row, "justify-content": "center", "width": "44px", "height": "44px",
                      "border-radius": "$small", "background": "$tint", "color": "$primary"},
        "link": {"font-size": "15px", "font-weight": "600", "color": "$primary"},
        # Figures
        "figures": {"display": "flex", "justify-content": "space-around", "gap": "24px", "padding": "32px 24px",
                    "border-radius": "$radius", "background": "$primary", "color": "$contrast"},
        "figure": {**column, "align-items": "center", "text-align": "center"},
        "figure-value": {**heading, "font-size": "32px", "line-height": "1.3"},
        "figure-label": {"font-size": "15px"},
        # Quotes
        "quote-text": {"flex": "1", "font-size": "16px"},
        "person": {**row, "gap": "12px"},
        "avatar": {**row, "justify-content": "center", "width": "44px", "height": "44px", "flex-shrink": "0",
                   "border-radius": "50%", "color": "#ffffff", "font-size": "15px", "font-weight": "600"},
        "person-name": {"font-size": "15px", "font-weight": "600", "line-height": "1.4"},
        "person-note": {"font-size": "14px", "color": "$muted", "line-height": "1.4"},
        # Questions
        "faq": {"display": "grid", "grid-template-columns": "repeat(2, 1fr)", "gap": "24px 48px"},
        "faq-item": {**column, "gap": "6px", "padding-top": "16px", "border-top": "1px solid $line"},
        # Call to action
        "call": {**row, "justify-content": "space-between", "gap": "32px", "padding": "36px 40px",
                 "border-radius": "$radius", "background": "$primary", "color": "$contrast"},
        "call-title": {**heading, "font-size": "26px", "line-height": "1.3"},
        # Catalogue
        "bar": {**row, "justify-content": "space-between", "gap": "24px", "margin-bottom": "24px"},
        "chips": {"display": "flex", "gap": "8px", "flex-wrap": "wrap"},
        "chip": {"padding": "7px 16px", "border": "1px solid $line", "border-radius": "$button", "background": "$surface",
                 "color": "$ink", "font-family": "inherit", "font-size": "14px", "font-weight": "500",
                 "line-height": "1.4", "white-space": "nowrap", "cursor": "pointer"},
        "chip-active": {"background": "$primary", "color": "$contrast", "border": "1px solid $primary"},
        "count": {"font-size": "15px", "color": "$muted", "white-space": "nowrap"},
        "product": {**column, "border-radius": "$radius", "overflow": "hidden", **card},
        "product-picture": {"position": "relative", **row, "justify-content": "center", "height": "150px",
                            "color": "#ffffff"},
        "product-icon": {**stroke, "width": "56px", "height": "56px"},
        "badge": {"position": "absolute", "top": "12px", "left": "12px", "padding": "3px 10px",
                  "border-radius": "$button", "background": "#ffffff", "color": "#1f2933", "font-size": "13px",
                  "font-weight": "600", "line-height": "1.5"},
        "product-body": {**column, "flex": "1", "gap": "8px", "padding": "16px 20px 20px"},
        "product-row": {**row, "justify-content": "space-between", "gap": "12px"},
        "price": {"font-size": "18px", "font-weight": "700", "white-space": "nowrap"},
        # Plans
        "plans": {"display": "grid", "gap": "24px", "align-items": "stretch"},
        "plan": {**column, "gap": "16px", "padding": "28px", "border-radius": "$radius", "background": "$surface",
                 "border": "1px solid $line"},
        "plan-popular": {"border": "2px solid $primary"},
        "plan-top": {**row, "justify-content": "space-between", "gap": "8px", "min-height": "28px"},
        "plan-price": {"display": "flex", "align-items": "baseline", "gap": "8px"},
        "plan-amount": {**heading, "font-size": "34px", "line-height": "1.2", "white-space": "nowrap"},
        "tag": {"padding": "3px 10px", "border-radius": "$button", "background": "$tint", "color": "$primary",
                "font-size": "13px", "font-weight": "600", "line-height": "1.5", "white-space": "nowrap"},
        "benefits": {**column, "gap": "10px", "flex": "1"},
        "benefit": {**row, "gap": "10px", "font-size": "15px", "line-height": "1.4"},
        "check": {**stroke, "width": "18px", "height": "18px", "flex-shrink": "0", "color": "$primary"},
        # Tables
        "panel": {**column, "gap": "16px", "padding": "24px", "border-radius": "$radius", **card},
        "panel-title": {**heading, "font-size": "18px", "line-height": "1.35"},
        "table": {"width": "100%", "border-collapse": "collapse", "font-size": "15px", "line-height": "1.4"},
        "head-cell": {"padding": "10px 12px", "border-bottom": "2px solid $line", "color": "$muted",
                      "font-size": "14px", "font-weight": "600", "text-align": "left"},
        "cell": {"padding": "11px 12px", "border-bottom": "1px solid $line", "text-align": "left",
                 "vertical-align": "middle"},
        "number": {"text-align": "right"},
        "middle": {"text-align": "center"},
        "mark": {**stroke, "width": "18px", "height": "18px", "margin": "0 auto", "color": "$primary"},
        "status": {**row, "gap": "8px", "white-space": "nowrap"},
        "dot": {"width": "8px", "height": "8px", "flex-shrink": "0", "border-radius": "50%"},
        # Forms
        "form-row": {"display": "grid", "gap": "32px", "align-items": "start"},
        "form-row-narrow": {"max-width": "560px", "margin": "0 auto"},
        "form-row-split": {"grid-template-columns": "3fr 2fr"},
        "form": {**column, "gap": "18px", "padding": "32px", "border-radius": "$radius", **CARDS[
            "raised" if theme.card == "raised" else "bordered"]},
        "form-head": {**column, "gap": "6px"},
        "form-title": {**heading, "font-size": "26px", "line-height": "1.25"},
        "fields": {"display": "grid", "gap": "16px"},
        "fields-2": {"grid-template-columns": "repeat(2, 1fr)"},
        "field": {**column, "gap": "6px"},
        "field-wide": {"grid-column": "1 / -1"},
        "label": {"font-size": "14px", "font-weight": "600", "line-height": "1.4"},
        "input": {"width": "100%", "height": "44px", "padding": "0 14px", "border": "1px solid $edge",
                  "border-radius": "$small", "background": "$page", "color": "$ink", "font-family": "inherit",
                  "font-size": "15px", "line-height": "1.5", "appearance": "none"},
        "input::placeholder": {"color": "$muted"},
        "textarea": {"height": "96px", "padding": "10px 14px", "resize": "none"},
        "consent": {**row, "gap": "10px", "font-size": "14px", "line-height": "1.4"},
        "checkbox": {"width": "18px", "height": "18px", "flex-shrink": "0", "accent-color": "$primary"},
        "aside": {**column, "gap": "20px"},
        "point": {"display": "flex", "gap": "14px", "align-items": "flex-start"},
        "point-copy": {**column, "gap": "2px"},
        # Articles
        "article": {**column, "gap": "20px", "max-width": "760px", "margin": "0 auto"},
        "article-title": {**heading, "font-size": "38px", "line-height": "1.2"},
        "article-lead": {"font-size": "19px", "color": "$muted"},
        "article-meta": {**row, "gap": "12px", "font-size": "15px", "color": "$muted"},
        "article-part": {**column, "gap": "8px"},
        "article-heading": {**heading, "font-size": "22px", "line-height": "1.3"},
        "pull-quote": {"padding": "6px 0 6px 22px", "border-left": "4px solid $primary", "font-size": "19px",
                       "font-style": "italic" if theme.slanted else "normal"},
        "post": {**column, "border-radius": "$radius", "overflow": "hidden", **card},
        "post-color": {"height": "96px"},
        "post-body": {**column, "flex": "1", "gap": "8px", "padding": "18px 20px 20px"},
        "meta": {"font-size": "14px", "color": "$muted", "line-height": "1.4"},
        # Profile
        "profile": {"display": "flex", "align-items": "center", "gap": "28px", "padding": "32px",
                    "border-radius": "$radius", **card},
        "portrait": {**row, "justify-content": "center", "width": "112px", "height": "112px", "flex-shrink": "0",
                     "border-radius": "50%", "color": "#ffffff", "font-size": "36px", "font-weight": "600"},
        "profile-copy": {**column, "gap": "6px", "flex": "1"},
        "profile-name": {**heading, "font-size": "28px", "line-height": "1.25"},
        "counts": {"display": "flex", "gap": "28px", "margin-top": "8px"},
        "count-item": {"display": "flex", "align-items": "baseline", "gap": "6px", "font-size": "15px",
                       "color": "$muted"},
        "count-value": {"font-weight": "700", "color": "$ink"},
        "columns": {"display": "grid", "grid-template-columns": "repeat(2, 1fr)", "gap": "24px",
                    "margin-top": "24px", "align-items": "start"},
        "skill": {**column, "gap": "6px"},
        "skill-row": {"display": "flex", "justify-content": "space-between", "font-size": "15px"},
        "track": {"height": "8px", "border-radius": "999px", "background": "$line", "overflow": "hidden"},
        "fill": {"height": "8px", "border-radius": "999px", "background": "$primary"},
        "detail": {"display": "flex", "justify-content": "space-between", "gap": "16px", "padding": "9px 0",
                   "border-bottom": "1px solid $line", "font-size": "15px"},
        "detail-name": {"color": "$muted"},
        "detail-value": {"font-weight": "600", "text-align": "right"},
        # Dashboard
        "shell": {"display": "flex", "min-height": "100vh", "background": "$page", "color": "$ink",
                  "font-family": "$body", "font-size": "16px", "line-height": "1.6"},
        "sidebar": {**column, "gap": "28px", "width": "232px", "flex-shrink": "0", "padding": "24px 16px",
                    **({"background": "$primary", "color": "$contrast"} if theme.header == "colored" else
                       {"background": "$surface", "border-right": "1px solid $line"})},
        "menu": {**column, "gap": "4px"},
        "menu-link": {**row, "gap": "12px", "padding": "10px 12px", "border-radius": "$small", "font-size": "15px",
                      "font-weight": "500", "line-height": "1.4", "cursor": "pointer"},
        "menu-link-active": {"background": "$contrast", "color": "$primary"} if theme.header == "colored" else {
            "background": "$tint", "color": "$primary"},
        "content": {**column, "flex": "1", "gap": "24px", "padding": "28px 32px", "min-width": "0",
                    "background": "$soft"},
        "topbar": {**row, "justify-content": "space-between", "gap": "24px"},
        "topbar-title": {**heading, "font-size": "26px", "line-height": "1.3"},
        "metric": {**column, "gap": "4px", "padding": "20px", "border-radius": "$radius", **card},
        "metric-label": {"font-size": "14px", "color": "$muted"},
        "metric-value": {**heading, "font-size": "26px", "line-height": "1.3", "white-space": "nowrap"},
        "metric-change": {"font-size": "14px", "font-weight": "600"},
        "two-thirds": {"display": "grid", "grid-template-columns": "2fr 1fr", "gap": "24px"},
        "bars": {"display": "flex", "align-items": "flex-end", "gap": "16px", "height": "200px"},
        "bar-item": {**column, "flex": "1", "align-items": "center", "justify-content": "flex-end", "gap": "4px",
                     "height": "100%", "font-size": "13px", "line-height": "1.4"},
        "bar-column": {"width": "100%", "border-radius": "$bar $bar 0 0", "background": "$primary"},
        "bar-label": {"color": "$muted"},
        "events": {**column, "gap": "14px"},
        "event": {**row, "gap": "12px"},
        "event-copy": {**column, "font-size": "14px", "line-height": "1.4"},
        # Newsletter and footer
        "newsletter": {**row, "justify-content": "space-between", "gap": "32px"},
        "newsletter-form": {"display": "flex", "gap": "12px", "width": "440px", "flex-shrink": "0"},
        "footer": {"padding": "40px 0 28px", "background": "$dark", "color": "$pale", "font-size": "15px"},
        "footer-columns": {"display": "flex", "justify-content": "space-between", "gap": "48px",
                           "margin-bottom": "28px"},
        "footer-brand": {**column, "gap": "10px", "max-width": "320px"},
        "footer-column": {**column, "gap": "8px"},
        "footer-title": {"font-size": "15px", "font-weight": "600", "line-height": "1.6", "color": "#ffffff"},
        "footer-link": {"font-size": "14px"},
        "footer-note": {"font-size": "14px"},
    }  # fmt: skip
    shown = HEADERS[theme.header]
    return {name: {**rule, **shown.get(name, {})} for name, rule in rules.items()}


def token_values(theme: PageTheme) -> dict[str, str]:
    """Returns what the names in values stand for: colours, radii and families of fonts."""
    return {
        **theme.colors,
        "radius": f"{theme.radius}px",
        "small": f"{min(theme.radius, 10)}px",
        "bar": f"{min(theme.radius, 6)}px",
        "button": "999px" if theme.pill else f"{min(theme.radius, 10)}px",
        "heading": theme.heading_font,
        "body": theme.body_font,
    }


def fill_tokens(value: str, tokens: Mapping[str, str]) -> str:
    """Returns a value with what its names stand for.

    >>> fill_tokens("1px solid $line", {"line": "#dddddd"})
    '1px solid #dddddd'
    """
    return Template(value).substitute(tokens)


def css_rule(selector: str, declarations: Declarations, *, short: bool = False) -> str:
    r"""Returns a rule of a style sheet.

    Args:
        selector: of the elements.
        declarations: for them.
        short: whether the rule stands in one line, if there it is not too long.

    >>> css_rule(".card", {"padding": "24px"})
    '.card {\n  padding: 24px;\n}'
    >>> css_rule(".card", {"padding": "24px", "margin": "0"}, short=True)
    '.card { padding: 24px; margin: 0; }'
    """
    said = [f"{name}: {value};" for name, value in declarations.items()]
    line = f"{selector} {{ {' '.join(said)} }}"
    if short and len(line) <= RULE_LINE:
        return line
    lines = wrap(" ".join(said), RULE_LINE - 10, break_on_hyphens=False) if short else said
    return "\n".join([f"{selector} {{", *(f"  {text}" for text in lines), "}"])


def merge_rules(rules: Mapping[str, Declarations], classes: Sequence[str]) -> dict[str, str]:
    """Returns the declarations of an element with several classes: what a later one says counts."""
    merged: dict[str, str] = {}
    for name in classes:
        merged |= rules[name]
    return merged


def font_address(families: Iterable[str]) -> str:
    """Returns where Google Fonts has families, in the weights of pages.

    >>> font_address(["Noto Sans"])
    'https://fonts.googleapis.com/css2?family=Noto+Sans:wght@400;500;600;700&display=swap'
    """
    asked = "&".join(f"family={name.replace(' ', '+')}:wght@400;500;600;700" for name in families)
    return f"https://fonts.googleapis.com/css2?{asked}&display=swap"
