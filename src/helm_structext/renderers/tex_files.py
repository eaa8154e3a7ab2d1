"""What of TeX's packages the formats need, and whether it is installed, by asking TeX itself."""

import subprocess
from collections.abc import Collection
from functools import cache
from pathlib import Path

from helm_structext.machine.programs import find_program

TEX_FILES = {
    "amsmath.sty": "texlive-latex-base",
    "amssymb.sty": "texlive-latex-base",
    "graphicx.sty": "texlive-latex-base",
    "epstopdf.sty": "texlive-latex-base",
    "xcolor.sty": "texlive-latex-recommended",
    "listings.sty": "texlive-latex-recommended",
    "booktabs.sty": "texlive-latex-recommended",
    "stfloats.sty": "texlive-latex-extra",
    "threeparttable.sty": "texlive-latex-extra",
    "adjustbox.sty": "texlive-latex-extra",
    "standalone.cls": "texlive-latex-extra",
    "algorithm.sty": "texlive-science",
    "algorithmicx.sty": "texlive-science",
    "algpseudocode.sty": "texlive-science",
    "siunitx.sty": "texlive-science",
    "pgfplots.sty": "texlive-pictures",
    "tikz.sty": "texlive-pictures",
    "tikz-cd.sty": "texlive-pictures",
    "tikz-qtree.sty": "texlive-pictures",
    "tikz-dependency.sty": "texlive-pictures",
    "tikz-3dplot.sty": "texlive-pictures",
    "tikz-network.sty": "texlive-pictures",
    "ulem.sty": "texlive-plain-generic",
    "IEEEtran.cls": "texlive-publishers",
    "phvr8t.tfm": "texlive-fonts-recommended",
    "lmr10.pfb": "lmodern",
    "qtmr.pfb": "tex-gyre",
    "sfrm1000.pfb": "cm-super",
    "biblatex.sty": "texlive-bibtex-extra",
    "qtree.sty": "texlive-humanities",
    "arabxetex.sty": "texlive-xetex",
    "CJKutf8.sty": "latex-cjk-common",
    "c70gbsn.fd": "latex-cjk-chinese-arphic-gbsn00lp",
    "c70bsmi.fd": "latex-cjk-chinese-arphic-bsmi00lp",
    "c70min.fd": "latex-cjk-japanese-wadalab",
    "ctex.sty": "texlive-lang-chinese",
}
"""Files of the preambles and of usual answers, one of each package at least, and the Debian packages that have them."""

MORE_TEX_FILES = {
    "fontawesome5.sty": "texlive-fonts-extra",
    "c70nanummj.fd": "texlive-lang-korean",
    "t2aenc.def": "texlive-lang-cyrillic",
    "skak.sty": "texlive-games",
}
"""The same of `debian-packages-tex.txt`, for which not everyone has room."""


def missing_tex_files(files: Collection[str] = TEX_FILES.keys()) -> list[str] | None:
    """Returns the files that TeX does not find, or None if there is no TeX.

    Args:
        files: their names.

    Raises:
        SetupError: `HELM_STRUCTEXT_PDFLATEX` names no program.

    >>> missing_tex_files()
    []
    """
    kpsewhich = find_program("kpsewhich")
    if kpsewhich is None:
        return None
    said = subprocess.run([kpsewhich, *files], capture_output=True, text=True, check=False)
    found = {line.rpartition("/")[2] for line in said.stdout.splitlines()}
    return [name for name in files if name not in found]


@cache
def tex_file_names() -> frozenset[str]:
    """Returns the names of all files that TeX finds, as its own lists have them; none if there is no TeX.

    Raises:
        SetupError: `HELM_STRUCTEXT_PDFLATEX` names no program.

    >>> "tikz.sty" in tex_file_names(), "absent.sty" in tex_file_names()
    (True, False)
    """
    kpsewhich = find_program("kpsewhich")
    if kpsewhich is None:
        return frozenset()
    said = subprocess.run([kpsewhich, "--all", "ls-R"], capture_output=True, text=True, check=False)
    lists = [
        Path(line).read_text(encoding="utf-8", errors="replace")
        for line in said.stdout.splitlines()
    ]
    return frozenset(name for one in lists for name in one.splitlines())
