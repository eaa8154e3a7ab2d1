r"""What LaTeX code needs and no preamble loads: packages, TikZ's libraries, alphabets.

Only code that failed is asked: what was drawn without an error stays as it is, to the pixel. A package is
loaded where one of its commands stands in the code and is not defined when the document begins, so that
a macro of the same name in the code keeps its meaning.
"""

from collections.abc import Iterator, Mapping

from helm_structext.patterns import Pattern
from helm_structext.renderers.tex_log import MISSING_METRIC, SIGN

NAME = Pattern(r"\\begin\s*\{([A-Za-z]{1,50}\*?)\}|\\([A-Za-z]{1,50})")

# Package, with options, and the commands and environments by which one sees that it is needed. Of two
# packages with one command the first is loaded.
_PACKAGES = """
array: newcolumntype
booktabs: toprule midrule bottomrule cmidrule addlinespace specialrule
multirow: multirow
colortbl: cellcolor rowcolor columncolor arrayrulecolor
makecell: makecell thead Xhline Xcline
tabularx: tabularx
tabulary: tabulary
longtable: longtable
tabularray: tblr longtblr
nicematrix: NiceTabular NiceArray NiceMatrix pNiceMatrix bNiceMatrix vNiceMatrix pNiceArray bNiceArray
arydshln: hdashline cdashline
hhline: hhline
diagbox: diagbox backslashbox
dcolumn: newdcolumntype
threeparttable: threeparttable
threeparttablex: ThreePartTable
blkarray: blockarray
rotating: sidewaystable sidewaysfigure rotate
pdflscape: landscape
wrapfig: wrapfigure wraptable
subcaption: subfigure subtable subcaptionbox
subfig: subfloat
caption: captionof captionsetup
float: floatstyle newfloat
multicol: multicols
enumitem: setlist newlist
tasks: tasks
paracol: paracol
mathtools: coloneqq eqqcolon vcentcolon DeclarePairedDelimiter mathclap mathllap mathrlap prescript dcases \
 rcases underbracket overbracket psmallmatrix bsmallmatrix shortintertext xrightleftharpoons xleftrightarrow \
 adjustlimits cramped splitfrac vdotswithin shortvdotswithin MoveEqLeft smashoperator xhookrightarrow xhookleftarrow
amsthm: proof theoremstyle newtheoremstyle
bm: bm
cancel: cancel bcancel xcancel cancelto
braket: braket ket bra Braket Ket Bra
physics: dv pdv fdv dd vb va grad curl laplacian abs norm expval mel ev comm acomm order qty
mathrsfs: mathscr
dsfont: mathds
bbm: mathbbm
bbold: mathbb
stmaryrd: llbracket rrbracket mapsfrom lightning varoslash
esint: oiint ointctrclockwise varointclockwise fint sqint
centernot: centernot
slashed: slashed
tensor: tensor indices
accents: accentset underaccent
extarrows: xlongequal xLongrightarrow xLongleftarrow
empheq: empheq
cases: numcases subnumcases
xfrac: sfrac
nicefrac: nicefrac
relsize: mathlarger mathsmaller larger smaller relsize
scalerel: scalerel stretchrel
siunitx: SI si num unit ang SIrange SIlist numrange sisetup DeclareSIUnit
[version=4]mhchem: ce cee
chemfig: chemfig setchemfig schemestart
chemformula: ch
bussproofs: AxiomC UnaryInfC BinaryInfC prooftree
mathpartir: inferrule mathpar
polynom: polylongdiv polyhornerscheme
xlop: opadd opsub opmul opdiv opidiv
pifont: ding dingline
gensymb: degree celsius perthousand
eurosym: euro
marvosym: Letter Mobilefone
wasysym: smiley frownie Square XBox CheckedBox
fontawesome5: faIcon faEnvelope faPhone faGithub faLinkedin faGlobe faHome faUser faStar faCheck faTimes
[normalem]ulem: uline uuline uwave sout xout dashuline
soul: hl st ul sethlcolor
url: url path
[hidelinks]hyperref: href hyperref hypersetup autoref texorpdfstring
cleveref: cref Cref crefrange
natbib: citep citet citealp citeauthor
csquotes: enquote textquote
lipsum: lipsum
blindtext: blindtext Blindtext
setspace: doublespacing onehalfspacing singlespacing spacing setstretch
geometry: geometry newgeometry
fancyhdr: fancyhf fancyhead fancyfoot lhead rhead
titlesec: titleformat titlespacing
tocloft: cftsecfont
ifthen: ifthenelse
xspace: xspace
comment: comment
changepage: adjustwidth
ragged2e: justifying RaggedRight Centering
lettrine: lettrine
epigraph: epigraph
framed: framed shaded leftbar
mdframed: mdframed newmdenv mdfsetup
[most]tcolorbox: tcolorbox newtcolorbox tcbox tcbset newtcbtheorem
fancyvrb: Verbatim BVerbatim
listings: lstlisting lstset lstdefinestyle lstinline
algorithm: algorithm
algpseudocode: algorithmic State Require Ensure
adjustbox: adjustbox
graphicx: includegraphics scalebox resizebox rotatebox
xcolor: textcolor definecolor colorlet
gb4e: exe
qtree: Tree
dirtree: dirtree
menukeys: menu keys
bytefield: bytefield
verbatimbox: verbbox
tikz: tikz tikzpicture tikzset usetikzlibrary
pgfplots: axis semilogxaxis semilogyaxis loglogaxis addplot pgfplotsset
pgfplotstable: pgfplotstabletypeset pgfplotstableread
tikz-cd: tikzcd
tikz-3dplot: tdplotsetmaincoords tdplotsetrotatedcoords
tikz-dependency: dependency deptext depedge
tikz-qtree: qtreecenterfalse
tikz-feynman: feynmandiagram feynman
tikz-timing: tikztimingtable texttiming
tikz-network: Vertex Edge Vertices
circuitikz: circuitikz ctikzset
forest: forest Forest
pgf-pie: pie
pgfgantt: ganttchart
smartdiagram: smartdiagram smartdiagramanimated
venndiagram: venndiagram2sets venndiagram3sets
tkz-euclide: tkzDefPoint tkzDefPoints tkzDrawPolygon tkzDrawSegment
tkz-graph: SetGraphUnit GraphInit
tkz-tab: tkzTabInit tkzTabLine
[all]xy: xymatrix
chessboard: chessboard
skak: newgame mainline showboard
""".replace("\\\n", "")


def _by_command() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(None, _PACKAGES.splitlines()):
        package, _, names = line.partition(":")
        for name in names.split():
            found.setdefault(name, package)
    return found


PACKAGE_OF: Mapping[str, str] = _by_command()
"""Command or environment → the package that defines it, after its options if it has some."""

_SHAPES = r"(?:[,\[]|shape\s*=)\s*(?:{})\b"
LIBRARIES: Mapping[str, Pattern] = {
    name: Pattern(pattern, ascii=True)
    for name, pattern in {
        "positioning": r"(?:above|below|left|right)\s*(?:=|of\b)",
        "arrows.meta": r"\b(?:Stealth|Latex|Triangle|Kite|Diamond|Circle|Rectangle|Square|Ellipse|Straight Barb|"
        r"Arc Barb|Tee Barb|Bar|Bracket|Hooks|Parenthesis|Implies|Rays|Round Cap|Butt Cap|Fast Round|"
        r"Fast Triangle|Computer Modern Rightarrow|To)\b",
        "arrows": r"(?:stealth|latex|angle 90|to|diamond|square|hook)'|(?:triangle|angle) (?:45|60|90)|"
        r"(?:left|right) (?:hook|to)\b|open (?:triangle|diamond|square)|-(?:diamond|triangle|o|\*|\||angle)",
        "shapes.geometric": _SHAPES.format(
            "diamond|ellipse|trapezium|semicircle|regular polygon|star|isosceles triangle|kite|dart|"
            "circular sector|cylinder"
        ),
        "shapes.symbols": _SHAPES.format(
            "cloud|signal|starburst|tape|magnetic tape|forbidden sign|correct forbidden sign|"
            "magnifying glass"
        ),
        "shapes.arrows": r"(?:single|double) arrow|arrow box",
        "shapes.multipart": r"(?:rectangle|circle|ellipse|diamond)(?: solidus)? split",
        "shapes.callouts": r"callout",
        "shapes.misc": r"(?:rounded|chamfered) rectangle|(?:cross|strike) out",
        "shapes.gates.logic.US": r"\b(?:and|or|nand|nor|xor|xnor|not|buffer) gate",
        "circuits.logic.US": r"circuit logic US",
        "circuits.logic.IEC": r"circuit logic IEC",
        "circuits.ee.IEC": r"circuit ee IEC",
        "patterns": r"\bpattern\b",
        "patterns.meta": r"pattern\s*=\s*\{?\s*(?:Lines|Hatch|Dots|Stars)|tikzdeclarepattern",
        "calc": r"\(\s*\$|\blet\s*\\[pnx]",
        "fit": r"\bfit\s*=",
        "matrix": r"matrix of",
        "trees": r"edge from parent (?:fork|path)|grow (?:cyclic|via)|(?:counter)?clockwise from|sibling angle",
        "mindmap": r"mindmap|\bconcept\b",
        "angles": r"\bangle\b",
        "quotes": r"[\[,]\s*\"|angle\b[^\]\n]{0,200}\"",
        "decorations.pathreplacing": r"\bbrace\b|expanding waves|\b(?:border|waves|ticks)\b|show path",
        "decorations.pathmorphing": r"\b(?:snake|zigzag|coil|bumps|bent|saw|random steps)\b",
        "decorations.markings": r"\bmarkings\b|\bmark\s*=\s*(?:at|between)\b",
        "decorations.text": r"text along path|text effects",
        "decorations.shapes": r"shape backgrounds|\b(?:crosses|triangles)\b",
        "decorations.fractals": r"Koch|Cantor",
        "decorations.footprints": r"footprints",
        "backgrounds": r"background|show grid",
        "automata": r"\bstate\b|accepting|\binitial\b|automaton",
        "graphs": r"\\graph\b|graph\s*\[",
        "intersections": r"name (?:path|intersections)|intersection-|\bintersections\b",
        "shadows": r"\bshadow\b",
        "shadows.blur": r"blur shadow",
        "shadings": r"\bball\b|\bshading\b",
        "fadings": r"\bfading\b",
        "spy": r"\bspy\b",
        "calendar": r"\\calendar\b",
        "er": r"\b(?:entity|relationship|attribute)\b",
        "petri": r"\b(?:place|transition|tokens?)\b",
        "chains": r"(?:on|start|continue) chain|\\chainin",
        "through": r"through\s*=",
        "turtle": r"\bturtle\b",
        "3d": r"canvas is|plane [xyz]|xyz (?:cylindrical|spherical)",
        "perspective": r"3d view|perspective|isometric view",
        "plotmarks": r"\bmark\s*=|\\pgfuseplotmark",
        "svg.path": r"\bsvg\s*[\"{]",
        "bending": r"[\[,{]\s*(?:flex|bend|quick)'?\s*[,\]}]",
        "math": r"\\tikzmath|evaluate\s*=",
        "lindenmayersystems": r"l-system|lindenmayer",
        "datavisualization": r"\\datavisualization",
        "knots": r"\bknot\b|\\strand\b",
        "quantikz": r"quantikz|\\gate\b|\\lstick\b",
    }.items()
}
"""Library of TikZ → what code that needs it has. One that isn't used changes nothing."""

PLOT_LIBRARIES: Mapping[str, Pattern] = {
    name: Pattern(pattern, ascii=True)
    for name, pattern in {
        "fillbetween": r"fill between",
        "groupplots": r"groupplot",
        "polar": r"polaraxis",
        "ternary": r"ternaryaxis",
        "smithchart": r"smithchart",
        "statistics": r"boxplot|\bhist\b",
        "dateplot": r"date coordinates",
        "patchplots": r"patch type",
        "colormaps": r"colormap/",
        "colorbrewer": r"colormap/|cycle list/",
        "units": r"[xy] unit",
    }.items()
}
"""The same, of pgfplots."""

CIRCUIT = Pattern(
    r"\bto\s*\[\s*(?:(?:american|european|cute|v)\s+)?(?:R|L|C|V|I|D|v?R|zD|leD|sV|sI|short|open|generic|switch|"
    r"battery\d?|resistor|capacitor|inductor|diode|lamp|fuse|ammeter|voltmeter|ohmmeter|nos|ncs|cspst|[vi]source|"
    r"sinusoidal (?:voltage|current) source|(?:voltage|current) source|american \w+|european \w+)"
    r"\s*[\d'*]?\s*(?:[=,_^\]])"
    r"|\bnode\s*\[[^\]\n]{0,100}\b(?:ground|op amp|npn|pnp|nmos|pmos|american \w+ port|rground|vcc|vee|spdt)\b",
    ascii=True,
)
PACKAGES_BY_USE: Mapping[str, Pattern] = {
    "enumitem": Pattern(r"\\begin\s*\{(?:enumerate|itemize|description)\}\s*\["),
    "array": Pattern(r"\\begin\s*\{(?:tabular|array)\*?\}[^\n]{0,200}(?:[<>]\s*\{|[mb]\s*\{)"),
    "float": Pattern(r"\\begin\s*\{(?:figure|table|algorithm)\*?\}\s*\[H\]"),
    "circuitikz": CIRCUIT,
}
"""The same, where no command of its own shows that a package is needed."""

_GREEK = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi mathrm{o} pi rho varsigma sigma tau upsilon "
    "varphi chi psi omega"
)
_SYMBOLS = """
← leftarrow → rightarrow ↑ uparrow ↓ downarrow ↔ leftrightarrow ⇐ Leftarrow ⇒ Rightarrow ⇔ Leftrightarrow ↦ mapsto
⟶ longrightarrow ⟵ longleftarrow ↗ nearrow ↘ searrow ↪ hookrightarrow ⇌ rightleftharpoons
≤ leq ≥ geq ⩽ leqslant ⩾ geqslant ≠ neq ≈ approx ≡ equiv ∼ sim ≅ cong ∝ propto ≪ ll ≫ gg ∓ mp ⋅ cdot ∙ cdot ∗ ast
∘ circ − - ∞ infty ∂ partial ∇ nabla ∫ int ∮ oint ∑ sum ∏ prod √ surd ∀ forall ∃ exists ∈ in ∉ notin ∋ ni ⊂ subset
⊃ supset ⊆ subseteq ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∖ setminus ∧ wedge ∨ vee ⊕ oplus ⊗ otimes ⊥ perp ∥ parallel
∠ angle △ triangle □ square ■ blacksquare ◊ Diamond ★ bigstar ✓ checkmark ✔ checkmark ✗ times ✘ times ● bullet
○ circ ⋯ cdots ⋮ vdots ⋱ ddots ℝ mathbb{R} ℕ mathbb{N} ℤ mathbb{Z} ℚ mathbb{Q} ℂ mathbb{C} ℓ ell ℏ hbar
′ ^{\\prime} ″ ^{\\prime\\prime} ⟨ langle ⟩ rangle ⌊ lfloor ⌋ rfloor ⌈ lceil ⌉ rceil ⊢ vdash ⊨ models
∴ therefore ∵ because Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega
₀ _0 ₁ _1 ₂ _2 ₃ _3 ₄ _4 ₙ _n ⁰ ^0 ⁴ ^4 ⁵ ^5 ⁶ ^6 ⁷ ^7 ⁸ ^8 ⁹ ^9 ⁿ ^n ⁻ ^- ⁺ ^+
"""
SIGNS: Mapping[str, str] = {
    **dict(zip(map(chr, range(ord("α"), ord("ω") + 1)), _GREEK.split(), strict=True)),
    **dict(zip(_SYMBOLS.split()[::2], _SYMBOLS.split()[1::2], strict=True)),
}
"""Sign → the command of mathematics that draws it, where TeX's text has no other."""

CJK_FONTS = {"gbsn": "gb2312", "bsmi": "big5", "min": "euc_jp", "nanummj": "euc_kr"}
"""Fonts of the package CJKutf8, and the sets of signs that they hold."""
CJK = Pattern(r"[\x{2e80}-\x{9fff}\x{ac00}-\x{d7af}\x{f900}-\x{faff}\x{ff00}-\x{ffef}]")
MAX_SIGNS = 1000
"""Other signs of a document with such ones that are left out; TeX stops at the next."""
UNICODE = Pattern(
    r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\]\s*)?\{[^}]*\b(?:fontspec|ctex|xeCJK|polyglossia|"
    r"unicode-math|mathspec|xltxtra|xunicode|academicons)\b|\\documentclass\s*(?:\[[^\]]*\]\s*)?\{ctex|\\set(?:main|CJKmain)font\b",
    ascii=True,
)
"""What only a TeX with Unicode's fonts can read."""
CYRILLIC = Pattern(r"[\x{400}-\x{52f}]")
NO_TIP = "Unknown arrow tip kind"
NO_COLOR = Pattern(r"Undefined color|do not know the key '/tikz/[A-Z][A-Za-z]{2,30}[1-4]?'")
NO_LAYER = "requested layer 'background' is not part of"
NO_ACCENT = "unavailable in encoding"


def write_needs(code: str, log: str) -> str:
    r"""Returns what to load before a document begins, in lines of LaTeX, or "" if nothing is known.

    Args:
        code: the document, or a fragment of one.
        log: TeX's, with an error.

    >>> print(write_needs(r"\toprule \node[right=of a]", ""))
    \helmneeds{toprule}{\usepackage{booktabs}}
    \usetikzlibrary{positioning}
    >>> print(write_needs("a→b", "Unicode character → (U+2192)"))
    \helmsign{2192}{→}{\rightarrow}
    """
    return "\n".join(
        [
            *_packages(code),
            *_libraries(code, log),
            *(_alphabets(code) if SIGN.search(log) or MISSING_METRIC.search(log) else ()),
            *_accents_and_colors(log),
        ]
    )


def _packages(code: str) -> Iterator[str]:
    names = dict.fromkeys(found[1] or found[2] for found in NAME.finditer(code))
    for name in names:
        if package := PACKAGE_OF.get(name):
            options, bracket, plain = package.rpartition("]")
            yield rf"\helmneeds{{{name}}}{{\usepackage{options}{bracket}{{{plain}}}}}"
    for package, pattern in PACKAGES_BY_USE.items():
        if pattern.search(code):
            yield rf"\usepackage{{{package}}}"


def _libraries(code: str, log: str) -> Iterator[str]:
    for command, libraries in (
        ("usetikzlibrary", LIBRARIES),
        ("usepgfplotslibrary", PLOT_LIBRARIES),
    ):
        found = [name for name, pattern in libraries.items() if pattern.search(code)]
        if libraries is LIBRARIES and NO_TIP in log and not {"arrows", "arrows.meta"} & {*found}:
            found.append("arrows")
        if found:
            yield rf"\{command}{{{','.join(found)}}}"
    if NO_LAYER in log:  # of packages that set their own
        yield r"\pgfsetlayers{background,main}"


def _alphabets(code: str) -> Iterator[str]:
    for sign in sorted({*code} & SIGNS.keys()):
        command = SIGNS[sign]
        command = f"\\{command}" if command[0].isalpha() else command
        yield rf"\helmsign{{{ord(sign):04X}}}{{{sign}}}{{{command}}}"
    if CYRILLIC.search(code):
        families = zip(("rm", "sf", "tt"), ("fcm", "fcs", "fct"), strict=True)
        names = "".join(rf"\renewcommand{{\{kind}default}}{{{name}}}" for kind, name in families)
        loading = rf"\usepackage[T2A,OT1]{{fontenc}}{names}\renewcommand{{\encodingdefault}}{{T2A}}"
        yield rf"\IfFileExists{{t2afcm.fd}}{{{loading}}}{{}}"
    if signs := "".join(sorted({found[0] for found in CJK.finditer(code)})):
        others = sorted({sign for sign in code if not sign.isascii()} - {*signs} - SIGNS.keys())
        for sign in others[:MAX_SIGNS]:
            # Else TeX stops at one that CJKutf8's fonts have no part for.
            left_out = rf"\typeout{{Left out: Unicode character (U+{ord(sign):04X})}}"
            yield rf"\helmsign{{{ord(sign):04X}}}{{{sign}}}{{{left_out}}}"
        font = next((font for font, has in CJK_FONTS.items() if _encodes(has, signs)), "gbsn")
        yield (
            rf"\IfFileExists{{c70{font}.fd}}{{\usepackage{{CJKutf8,amstext}}\AtBeginDocument{{\begin{{CJK}}{{UTF8}}{{{font}}}\helmcjk}}"
            r"\AtEndDocument{\end{CJK}}}{}"
        )


def _encodes(encoding: str, text: str) -> bool:
    # Korean has signs that are read otherwise, or not at all, beside others.
    return text.encode(encoding, "ignore").decode(encoding, "ignore") == text


def _accents_and_colors(log: str) -> Iterator[str]:
    if NO_ACCENT in log:
        yield r"\usepackage[T1]{fontenc}"
    if NO_COLOR.search(log):
        yield r"\usepackage[x11names,svgnames,dvipsnames]{xcolor}"
