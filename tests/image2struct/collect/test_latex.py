"""From a paper on arXiv to a picture and its structure, by the collector's table."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date

import pytest
from PIL import ImageChops

from helm_structext.image2struct.collect import latex
from helm_structext.image2struct.collect.latex import COLLECTOR
from helm_structext.image2struct.collect.pipeline import work
from helm_structext.image2struct.collect.records import CandidateRefused, Download, Draft, Window
from helm_structext.pictures import decode
from helm_structext.renderers import render
from helm_structext.sandbox import worker_count
from support import drafts
from support.arxiv_papers import files_of, identifier, papers, written
from support.arxiv_server import CC_BY, EXCLUSIVE, Record, arxiv_server
from support.drafts import candidate, tools
from support.hosts import client

SUBSETS = frozenset(COLLECTOR.subsets)
OCTOBER = Window(date(2026, 10, 1), date(2026, 10, 31))
EQUATION = b"\\begin{equation} x \\end{equation}"
BESIDE = [
    Record("2610.10001", ("math",), "2026-09-01", EQUATION, datestamp="2026-10-05"),
    Record("2610.10002", ("math",), "2026-11-02", EQUATION, datestamp="2026-10-05"),
    Record("2610.10003", ("econ",), "2026-10-05", EQUATION, license=EXCLUSIVE),
    Record("2610.10004", ("econ",), "some day", EQUATION, datestamp="2026-10-06"),
    Record("2610.10005", ("econ",), "2026-10-06", EQUATION, deleted=True),
    Record("2610.10006", ("cs",), "2026-10-06", b"\\begin{equation} badword \\end{equation}"),
    Record("2610.10007", ("cs",), "2026-10-06", EQUATION.replace(b"x", b"1 + " * 6000)),
]


def moderation(texts) -> str | None:
    return "a bad word" if any("badword" in text for text in texts) else None


@dataclass
class Walked:
    """What came of candidates: drafts by the paper's name, and what each filter refused."""

    drafts: dict[str, list[Draft]] = field(default_factory=lambda: defaultdict(list))
    refused: dict[str, list[tuple[str, str]]] = field(default_factory=lambda: defaultdict(list))


@pytest.fixture(scope="module")
def round_(tmp_path_factory) -> Walked:
    """The written papers, and some that only their records tell apart, without admission."""
    walked = Walked()
    with (
        pytest.MonkeyPatch.context() as patch,
        arxiv_server([*written(), *BESIDE]) as host,
        client(tmp_path_factory.mktemp("round"), host.addresses) as asking,
        ThreadPoolExecutor(worker_count()) as pool,
    ):
        patch.setattr(latex, "SECONDS", 5.0)
        using = tools(
            client=asking,
            window=OCTOBER,
            moderation=moderation,
            addresses=host.addresses,
            licenses=frozenset([CC_BY]),
        )
        found = [one for listing in COLLECTOR.listings for one in listing.candidates(using)]
        outcomes = pool.map(lambda one: work(one, COLLECTOR, using, SUBSETS), found)
        for one, outcome in zip(found, outcomes, strict=True):
            walked.drafts[one.name] += [rendered.draft for rendered in outcome.rendered]
            for refused in outcome.refused:
                walked.refused[refused.filter].append((one.name, refused.reason))
    return walked


def structures(walked: Walked, paper: str, subset: str = "equation") -> list[str]:
    drafts = walked.drafts[identifier(paper)]
    return sorted(draft.structure or "" for draft in drafts if draft.subset == subset)


@pytest.mark.parametrize(
    ("filter", "refused"),
    [
        ("malformed", ["2610.10004"]),
        ("created_before_start", ["2610.10001"]),
        ("created_after_end", ["2610.10002"]),
        ("license_not_admitted", ["2610.10003"]),
        ("pdf_only", [identifier("pdf"), identifier("pdf in an archive")]),
        ("no_tex", [identifier(name) for name in ("PostScript", "no TeX", "page")]),
        ("unreadable_archive", [identifier(name) for name in ("links", "bomb", "cut off")]),
        ("not_found", [identifier("nothing")]),
        ("no_excerpt", [identifier("plain")]),
        ("toxic", ["2610.10006"]),
        ("too_long", ["2610.10007"]),
        ("references", [identifier("bootstrap")]),
        ("touches_files", [identifier("hostile")]),
        ("needs_macros", [identifier("pseudocode")]),
        ("not_rendered", [identifier("hostile")]),
        ("takes_too_long", [identifier("endless")]),
        ("takes_too_much", [identifier("endless")]),
        ("empty_page", [identifier("white")]),
        ("white_image", [identifier("white")]),
        ("differs_by_protocol", [identifier("white"), identifier("genes")]),
    ],
)
def test_each_filter_refuses_what_it_is_for(round_, filter, refused):
    assert {name for name, _ in round_.refused[filter]} == set(refused)
    assert all(reason for _, reason in round_.refused[filter])


def test_there_is_a_case_for_every_filter_of_the_table(round_):
    chain = (*COLLECTOR.fetch_filters, *COLLECTOR.file_filters, *COLLECTOR.rendering_filters)
    names = {check.__name__ for check in (*chain, *latex.EXCERPT_FILTERS)}
    assert names | set(latex.REFUSED_AS.values()) <= set(round_.refused)
    (tests,) = test_each_filter_refuses_what_it_is_for.pytestmark
    assert {filter for filter, _ in tests.args[1]} == set(round_.refused)


def test_every_subset_and_subject_gives_something(round_):
    drafts = [draft for drafts in round_.drafts.values() for draft in drafts]
    assert {draft.subset for draft in drafts} == set(COLLECTOR.subsets)
    subjects = {draft.candidate.group for draft in drafts}
    assert subjects == {"math", "physics", "cs", "q-bio", "stat", "eess", "econ"}


def test_macros_of_a_paper_s_style_come_with_what_they_need(round_):
    (first,) = [code for code in structures(round_, "lattices") if "lambda_1" in code]
    assert first.splitlines()[:6] == [
        r"\makeatletter",
        r"\newcommand{\Z}{\mathbb{Z}}",
        r"\newcommand{\norm}[1]{\left\lVert #1 \right\rVert}",
        r"\def\lat@name{\Lambda}",
        r"\def\Lat{\lat@name}",
        r"\newcommand{\rank}{\operatorname{rank}}",
    ]
    assert "argmin" not in first
    assert "%" not in first
    (draft,) = [one for one in round_.drafts[identifier("lattices")] if one.structure == first]
    assert draft.info["definitions"][-1] == r"\rank"


def test_own_names_for_environments_are_written_out(round_):
    found = structures(round_, "spinchain")
    assert len(found) == 3
    for code in found:
        assert code.splitlines()[-1].endswith((r"\end{equation}", r"\end{align}"))
        assert "gather" not in code


def test_colors_styles_and_environments_are_carried(round_):
    plots = "".join(structures(round_, "sorting", "plot"))
    assert r"\definecolor{pivot}" in plots
    assert r"chosen/.style" in plots
    assert r"\tikzstyle{block}" in structures(round_, "signals", "plot")[0]
    assert [code for code in structures(round_, "signals") if r"\newenvironment{system}" in code]


def test_files_in_latin_1_and_what_is_not_tex(round_):
    assert "Séquences de Müller" in structures(round_, "genes", "table")[0]
    (code,) = structures(round_, "verbatims")
    assert "50\\%" in code
    assert "hidden" not in code


def test_the_harmless_part_of_a_hostile_paper_stays(round_):
    assert structures(round_, "hostile") == [
        r"\begin{equation} c = \sqrt{a^2 + b^2} \end{equation}"
    ]
    assert len(structures(round_, "endless")) == 1


@pytest.mark.parametrize("paper", ["lattices", "sorting", "functors", "signals"])
def test_a_draft_is_what_its_structure_renders_to_in_both_protocols(round_, paper):
    for draft in round_.drafts[identifier(paper)]:
        ours = decode(draft.image)
        assert (draft.length, draft.candidate.name) == (len(draft.text or ""), identifier(paper))
        for protocol in ("published", "corrected"):
            again = render("latex", draft.structure or "", protocol=protocol)
            assert again.text == draft.text
            assert again.image.size == ours.size
            assert ImageChops.difference(again.image, ours).getbbox() is None


def drafted(paper: str | dict[str, bytes], **changes) -> list[Draft]:
    files = files_of(paper) if isinstance(paper, str) else paper
    return list(latex.drafts(Download(candidate(), files), tools(**changes)))


def test_as_published_what_needs_macros_is_refused_and_references_are_not():
    using = tools(protocol="published")
    kept, refused = [], []
    for draft in drafted("bootstrap", protocol="published"):
        try:
            kept.append(COLLECTOR.render(draft, using).structure or "")
        except CandidateRefused as refusal:
            refused.append(refusal.filter)
    assert refused == ["needs_macros"] * 2
    assert sum("ref{" in code or "cite{" in code for code in kept) == 2
    assert not any("newcommand" in code for code in kept)


def test_as_published_an_environment_in_another_of_its_subset_counts_too():
    inner = {"a.tex": rb"\begin{algorithm}\begin{algorithmic} \end{algorithmic}\end{algorithm}"}
    assert len(drafted(inner, protocol="published")) == 2
    assert len(drafted(inner)) == 1
    with pytest.raises(CandidateRefused, match="equation, table"):
        drafted("spinchain", protocol="published")
    assert len(drafted("spinchain")) == 3


def test_excerpts_are_shuffled_by_the_seed_tried_a_few_times_and_taken_once():
    many = b"".join(b"\\begin{math} %d \\end{math}" % (n % 90) for n in range(180))
    first, again, other = (
        [draft.structure for draft in drafted({"a.tex": many}, seed=seed)] for seed in (1, 1, 2)
    )
    assert first == again != other
    assert len(set(first)) == latex.MAX_TRIES


def test_a_definition_may_not_bring_in_what_an_excerpt_may_not_have():
    paper = rb"\def\see{\ref{x}} \def\get{\input{y}} \begin{math}\see\end{math} \begin{math}\get\end{math}"
    for draft in drafted({"a.tex": paper}):
        with pytest.raises(CandidateRefused) as refusal:
            COLLECTOR.render(draft, tools())
        assert refusal.value.filter in ("references", "touches_files")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (r"\@@input /etc/passwd", r"\@@input"),
        (r"\csname input\endcsname{/etc/passwd}", r"\csname"),
        (r"\catcode`|=0 |input{/etc/passwd}", r"\catcode"),
        (r"\scantokens{x}", r"\scantokens"),
        (r"^^5cinput{/etc/passwd}", "^^"),
        (r"x^2 \% \inputs \begin{write}", None),
    ],
)
def test_commands_for_files_are_found_under_other_names_too(code, found):
    said = latex.touches_files(drafts.draft(structure=code), tools())
    assert said == (found and f"it uses {found}")


def test_generated_papers_give_all_subsets_and_are_the_same_again():
    one, two = papers(8, 7), papers(8, 8)
    assert one == papers(8, 7) != two
    for record in one:
        assert isinstance(record.source, bytes)
        files = latex.arxiv.files_of(record.source)
        subsets = [draft.subset for draft in drafted(files)]
        assert all(subsets.count(subset) >= 2 for subset in COLLECTOR.subsets)
    assert replace(one[0], source=b"") == replace(two[0], source=b"")
