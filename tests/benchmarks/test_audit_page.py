"""An audit's numbers in the documents are copied from its folder, and nothing else of the documents changes."""

import audit_page
from helm_structext.audit.choice import presets_tables
from helm_structext.audit.page import write_page
from helm_structext.audit.run import PAGE, TABLES
from helm_structext.results.tabular import write_tables
from support.audit import told

SCORES = {"right": 1.0, "half right": 0.7, "fraud": 0.5}
METRICS = ("earth_mover_similarity_corrected", "pixel_similarity", "layout_similarity")
DOCUMENT = f"before\n\n{audit_page.BEGIN}\nold\n\n{audit_page.END}\nafter\n"


def test_the_documents_have_the_numbers_of_the_audit(tmp_path, monkeypatch):
    answers = [
        told(role, "noise" if role == "fraud" else role, **dict.fromkeys(METRICS, score))
        for role, score in SCORES.items()
    ]
    tables = [*presets_tables(answers)]
    folder, docs = tmp_path / "audit", tmp_path / "docs"
    (docs / "images").mkdir(parents=True)
    folder.mkdir()
    write_tables(tables, folder / TABLES)
    page = write_page(answers, "helm-structext audit metrics --count 1", tables)
    (folder / PAGE).write_text(page, encoding="utf-8")
    for name in ("audit.md", "rewards.md"):
        (docs / name).write_text(DOCUMENT)
    monkeypatch.setattr("sys.argv", ["audit_page.py", str(folder), "--docs", str(docs)])
    assert audit_page.main() == 0
    audit, rewards = ((docs / name).read_text() for name in ("audit.md", "rewards.md"))
    for text in (audit, rewards):
        assert "old" not in text
        assert text.startswith("before\n")
        assert text.endswith("after\n")
    assert "helm-structext audit metrics --count 1 -o audit" in audit
    assert "| layout " in audit
    assert "- `svg`: take `layout`, its own." in audit
    assert "half-right stands +0.200" in rewards
    assert "in 0 and in 0 of 1 scenes" in " ".join(rewards.split())
    assert (docs / audit_page.PLOT).read_bytes()[1:4] == b"PNG"
