"""What is made at the first use on a machine can be made under each way of isolation."""

from helm_structext.renderers.web import vega


def test_vega_is_bundled(isolation, monkeypatch, tmp_path):
    monkeypatch.setenv("HELM_STRUCTEXT_CACHE", str(tmp_path))
    assert vega.scripts().stat().st_size > 500_000
