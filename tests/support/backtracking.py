"""What the linear patterns and scanners stand for, said in expressions of the standard library."""

import re

BEGIN = r"\begin{document}"
HEADER = re.compile(r"\\(documentclass|documentstyle)(\[.*?\])?\{.*?\}")
PACKAGES = re.compile(r"\\usepackage(\[.*?\])?\{.*?\}")
PACKAGES_CORRECTED = re.compile(r"\\usepackage\s*(\[[^]]*\])?\s*\{[^}]*\}")
BODY = re.compile(r"(?<=\\begin{document})(.*?)(?=\\end{document})", re.DOTALL)
COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
NAMES = "think|thinking|reasoning|seed:think"
THOUGHTS = re.compile(rf"\A(?:\s*<({NAMES})>.*?(?:</\1>|\Z))+", re.DOTALL | re.IGNORECASE)
END_OF_THOUGHTS = re.compile(rf"<(?:(/)(?:{NAMES})|(?:{NAMES})(?:\s[^>]*)?)>", re.IGNORECASE)
DECLINING = r"""
    \b (?-i:I) \b [^.!?\n]{0,30}?
    (?: \b (?: can(?:not|'t|\ not) | won't | will\ not | could(?:n't|\ not) ) \b
      | \b (?:unable|not\ able|not\ allowed|not\ permitted) \ to \b
      | \b (?:don't|do\ not) \ have\ the\ (?:ability|capability|capacity) \ to \b
      | \b (?:must|have\ to) \ (?:decline|refuse) \b )"""
ASKED = r"""
    \b (?: assist | help | comply | fulfil+ | provide | generate | produce | create | recreate
      | reproduce | replicate | transcribe | convert | write | render | view | see | access | open
      | read | process | analy[sz]e | identify | interpret
      | requests? | images? | pictures? | copyright | copyrighted ) \b"""
REFUSAL = re.compile(rf"{DECLINING} [^.!?\n]{{0,80}}? {ASKED}", re.IGNORECASE | re.VERBOSE)


def refusal(completion: str) -> bool:
    opening = completion.strip()[:300].replace("’", "'")
    return bool(REFUSAL.search(opening)) and not re.search(r"[\\{}<>$`]", completion)


def tidied(text: str) -> str:
    text = re.sub(r" +", " ", text).replace("\t", " ")
    text = re.sub(r"^[ \t]+|[ \t]+$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n\s*\n", "\n", text).strip()


def lines_ended(code: str) -> str:
    code = re.sub(r"(\\begin\{.*?\}(\[.*?\])?)(?!\n)", r"\1\n", code)
    return re.sub(r"(\\end\{.*?\})(?!\n)", r"\1\n", code)


def around_bodies(code: str, before: str, after: str) -> str:
    return BODY.sub(lambda body: before + body.group() + after, code)


def content(code: str, comments: bool) -> str:
    if not comments:
        code = COMMENT.sub(r"\1", code)
    code = HEADER.sub("", code)
    code = (PACKAGES if comments else PACKAGES_CORRECTED).sub("", code)
    code = re.sub(r"\\begin\{document\}\n*", "", code)
    code = re.sub(r"\\end\{document\}.*", "", code, flags=re.DOTALL)
    return tidied(lines_ended(code))


def headed(code: str, name: str, preamble: str) -> str:
    headers = sorted(HEADER.finditer(code), key=lambda match: match.group(1) != "documentclass")
    code = code.replace(headers[0].group(), name) if headers else f"{name}\n\n{code}"
    return code.replace(name, preamble)


def without_reasoning(completion: str) -> str:
    text = THOUGHTS.sub("", completion, count=1)
    first = END_OF_THOUGHTS.search(text)
    return text[first.end() :] if first and first[1] else text


def fences_of(text: str, *, nested: bool) -> list[tuple[str, str, str]]:
    body = ".*" if nested else ".*?"
    fences = re.finditer(
        r"^[ \t]*(?P<fence>(?P<mark>[`~])(?P=mark){2,})(?P<language>[^\n`]*)\n"
        rf"(?:(?P<code>{body})(?:^[ \t]*)?(?<!(?P=mark))(?P=fence)(?P=mark)*[ \t\r]*$"
        r"|(?P<rest>.*)\Z)",
        text,
        re.DOTALL | re.MULTILINE,
    )
    return [
        (
            fence[0].strip(),
            fence["language"].strip(),
            (fence["code"] or fence["rest"] or "").strip(),
        )
        for fence in fences
    ]


def tagged(completion: str, parsed: bool) -> str:
    text = completion.replace("<think>\n\n</think>\n\n", "")
    before, opened, rest = text.partition("```")
    _, opened, rest = rest.partition("\n")
    found = re.search(
        r"<\|BEGIN_CODE\|>(.*?)(?:<\|END_CODE\|>|\Z)", text, re.DOTALL | re.IGNORECASE
    )
    if opened and (parsed or not found or len(before) < found.start()):
        return rest.partition("```")[0].strip()
    return (found[1] if found else text).strip()


PAIRS = re.compile(
    r"^(?P<number>\d+)\. Question: (?P<question>.*?) Expected Answer: (?P<answer>.*?)"
    r"(?=^\d+\. Question: |\Z)",
    re.DOTALL | re.MULTILINE,
)

PROSE_END = r"[.:!?…)*。：！？\n]"


def between(code: str, before: str, behind: str, opening: str = "") -> re.Pattern[str]:
    return re.compile(
        rf"(?:{before}{PROSE_END})?\s*{opening}({code})(?:{behind})?", re.DOTALL | re.IGNORECASE
    )


PAGE = r"<(?:!doctype\s+html|html)[\s>].*"
SVG = r"(?:<\?xml\s[^<]*)?(?:<!doctype\s[^<]*)?<svg[\s>].*</svg\s*>"
BEHIND_TAGS = r"\.?\s+(?:[^<\s].*)?"
# Language of a document that stands between prose → how it is found.
DOCUMENTS = {
    "html": (between(rf"{PAGE}</html\s*>", "[^<]*", BEHIND_TAGS), between(PAGE, "[^<]*", "")),
    "svg": (between(SVG, "[^<]*", BEHIND_TAGS),),
    "xml": (between(r"<(?:[?!_]|[^\W\d]).*>", "[^<]*", r"\.?\s[^<]*"),),
    "latex": (
        between(
            r"\\documentclass\s*[\[{].*\\end\s*\{document\}",
            r"(?:(?:[^\\%\s][^\n]*)?\n)*?[^\\%\n][^\n]*",
            ".*",
            r"(?:\\begin\s*\{(?:code|latex|verbatim|lstlisting)\}\s*)?",
        ),
    ),
    "json": (between(r"\{.*\}|\[\s*\{.*\}\s*\]", r'[^{}\[\]"/=]*', r"\.?\s[^{}]*"),),
}

# Name of a module and its pattern → the expression that it was.
NUMBER = r"([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)"
SEPARATOR = r"(?:\s*[,;]\s*|\s+)"
SEARCHES = {
    "mmr.replies.FOUR_NUMBERS": re.compile(
        r"[\[(]\s*" + SEPARATOR.join([NUMBER] * 4) + r"\s*[\])]", re.ASCII
    ),
    "mmr.replies.DIGITS": re.compile(r"\d+"),
    "mmr.replies.FENCE": re.compile(r"```\w*"),
    "extraction.rules.TAGGED": re.compile(
        r"<\|BEGIN_CODE\|>(.*?)(?:<\|END_CODE\|>|\Z)", re.DOTALL | re.IGNORECASE
    ),
    "renderers.latex.LABEL": re.compile(r"\\label\{.*?\}[\t ]*(?:\n)?"),
    "renderers.latex.LINE_OF_PACKAGES": re.compile(r"\\usepackage(?:\[.*?\])?\{.*\}"),
    "renderers.latex.UNDEFINED": re.compile(r"LaTeX Error: Environment ([\w-]+)\*? undefined"),
    "renderers.tex_log.ERROR": re.compile(
        r"^(?:(?P<file>\S+):(?P<line>\d+): |! )(?P<message>.+(?:\n\(\w+\) .+)*)", re.MULTILINE
    ),
    "renderers.tex_log.MORE_OF_MESSAGE": re.compile(r"\n\(\w+\) +"),
    "renderers.tex_log.RUNAWAY": re.compile(r"^Runaway .*\n(.*)", re.MULTILINE),
    "renderers.lilypond.ERROR": re.compile(
        r"^score\.ly:(\d+):(\d+): error: (.*)(?:\n.*\n.*\n(.+))?", re.MULTILINE
    ),
    "renderers.lilypond.CONVERT_ERROR": re.compile(
        r"^(?:convert-ly: error: score\.ly: )?"
        r"(Unable .*|Not smart enough to convert .*|(?:[a-z]{1,20}\.)?[A-Za-z]{0,40}[Ee]rror: .*)",
        re.MULTILINE,
    ),
    "renderers.lilypond.DEATH": re.compile(r"(?:\.scm:\d+:\d+|^fatal error): (.+)", re.MULTILINE),
    "renderers.lilypond.PROCEDURE": re.compile(r"#<procedure ([^ >]{1,100})"),
    "renderers.lilypond.INCLUDED": re.compile(r"cannot find file: [`']([^`'\n]{1,300})'"),
    "renderers.lilypond.FONT": re.compile(
        r"(?:\bfonts\.\w+\s*=\s*#?|\bfont-name\s*(?:=\s*#?|\.\s*)"
        r'|#:(?:roman|sans|typewriter)\s+)"([^"\n]{1,100})"'
        r'|make-pango-font-tree\s+"([^"\n]{1,100})"\s+"([^"\n]{1,100})"\s+"([^"\n]{1,100})"',
        re.ASCII,
    ),
    "renderers.web.mermaid_errors.STACK": re.compile(r"\n\s+at "),
    "renderers.web.html.TAG": re.compile(r"<(?:script|link)\b[^<>]*>", re.IGNORECASE),
    "renderers.web.html.PART": re.compile(r"<!--|-->|<script\b[^<>]*>|</script", re.IGNORECASE),
    "renderers.web.html.INTEGRITY": re.compile(
        r"""\sintegrity\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE
    ),
    "renderers.web.html.SCRIPT_ID": re.compile(
        r"""(?:getElementById\(\s*['"`]|querySelector\(\s*['"`]#)([\w-]+)"""
    ),
    "renderers.web.angular_errors.COMPILER": re.compile(
        r"Errors during JIT compilation of template for (\w+): "
        r"(.*?)(?: at the end of the | in ng:|\s*\(\"|\Z)"
    ),
    "renderers.web.frameworks.LOADS": re.compile(
        r"""\ssrc\s*=\s*["']?(?:https?:)?//""", re.IGNORECASE
    ),
    "renderers.web.frameworks.LOADS_VUE": re.compile(
        r"""\ssrc\s*=.*vue""", re.IGNORECASE | re.DOTALL
    ),
    "renderers.web.npm_files.NPM": re.compile(
        r"((?:@[\w-][\w.-]*/)?[\w-][\w.-]*)(?:@([^/]*))?(/.*)?"
    ),
    "renderers.web.npm_files.NAME": re.compile(r"gh/[\w.-]+/[\w.-]+|(?:@[\w.-]+/)?[\w.-]+"),
    "renderers.web.javascript.MISSING_PACKAGE": re.compile(
        r'\Acannot import "((?:@[\w.-]+/)?[\w.-]+)(?:/[^"\n]*)?": it is not one of the installed packages'
    ),
    "renderers.typst_packages.IMPORT": re.compile(
        r'\b(?:import|include)[\s(]*"@preview/([a-z0-9][a-z0-9-]{0,99}):'
        r'(\d{1,5}[.]\d{1,5}[.]\d{1,5})"',
        re.ASCII,
    ),
    "cli.typst_setup.LOCAL_IMPORT": re.compile(
        r'\b(?:import|include)[\s(]*"([^"@\n]{1,300}[.]typ)"', re.ASCII
    ),
    "renderers.python.MISSING_MODULE": re.compile(
        r"\A(?:ModuleNotFoundError: No module named '(\w+|mpl_toolkits\.basemap)'"
        r"|ImportError: Missing optional dependency '([\w.-]+)')"
    ),
    "renderers.tex_log.MISSING_PACKAGE": re.compile(
        r"(?:LaTeX Error|Left out): File `([A-Za-z0-9_.-]{1,100}?)\.(?:sty|cls)' not found"
        r"|did not find the (?:tikz|pgfplots|pgf) library '([A-Za-z0-9_. -]{1,100})'"
    ),
    "renderers.tex_log.LEFT_OUT": re.compile(
        r"Left out: File `([A-Za-z0-9_.-]{1,100}?)\.(?:sty|cls)' not found"
    ),
    "renderers.tex_log.MISSING_METRIC": re.compile(
        r"^(?:! |line \d+: |\S+:\d+: )Font \S+=(\S+) .*not loadable: Metric", re.MULTILINE
    ),
    "renderers.web.causes.ASKS": re.compile(
        r"<script\s(?:[^<>]*\s)?src\s*=[^<>]*>\s*</script\s*>", re.IGNORECASE
    ),
    "renderers.tex_needs.NAME": re.compile(r"\\begin\s*\{([A-Za-z]{1,50}\*?)\}|\\([A-Za-z]{1,50})"),
    "renderers.web.web_fonts.WEIGHT": re.compile(
        r"([a-z]*)([1-9]\d{0,3}(?:\.\.[1-9]\d{0,3})?)?([a-z]*)", re.ASCII
    ),
}
# Those that only say yes or no, and end with the letter after a word.
FINDS = {
    "renderers.web.html.DOCUMENT": re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE),
    "renderers.web.html.FOR_BABEL": re.compile(
        r"""\stype\s*=\s*["']?(?:text/(?:babel|jsx|tsx|ts|typescript)|jsx)\b""", re.IGNORECASE
    ),
    "renderers.web.html.MAKES_CANVAS": re.compile(r"""\bcreateElement\(\s*['"`]canvas\b"""),
    "renderers.web.html.FINDS_CANVAS": re.compile(r"\b(?:getElement|querySelector)"),
    "renderers.web.html.DRAWS_ITSELF": re.compile(
        r"<(?:canvas|script|html|body|!doctype)\b", re.IGNORECASE
    ),
    "renderers.web.frameworks.INTERFACE": re.compile(r"\binterface \w+ \{"),
    "renderers.web.frameworks.MAPS": re.compile(
        r"""\stype\s*=\s*["']?importmap\b""", re.IGNORECASE
    ),
    "renderers.web.frameworks.IMPORTS_VUE": re.compile(
        r"""\bfrom\s*['"][^'"\n]{0,200}vue""", re.IGNORECASE
    ),
    "renderers.web.frameworks.NEW_VUE": re.compile(r"\bnew\s+Vue\b|\bVue\.component\b"),
}
