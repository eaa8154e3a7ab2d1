"""Which protocol counts where nobody says it."""

import ast
import inspect

import pytest

from helm_structext.extraction import extract
from helm_structext.protocols import DEFAULT_PROTOCOL, PROTOCOLS, REWARD_PROTOCOL, check_protocol
from helm_structext.renderers import render, render_completion
from helm_structext.rewards import Reward, StructEvalReward
from helm_structext.structeval.run_specs import structeval
from support import ROOT


def test_rewards_take_corrected():
    assert REWARD_PROTOCOL == "corrected"
    assert Reward("latex").protocol == "corrected"
    assert StructEvalReward("text_to_json").protocol == "corrected"


def test_all_else_takes_published():
    assert DEFAULT_PROTOCOL == "published"
    functions = (extract, render, render_completion, structeval)
    for function in functions:
        assert inspect.signature(function).parameters["protocol"].default == "published"


def test_the_rule_stands_in_one_place():
    package = ROOT / "src" / "helm_structext"
    found = []
    for file in package.rglob("*.py"):
        if "node_modules" in file.parts or file.name == "protocols.py":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            values = []
            if isinstance(node, ast.arguments):
                named = [*node.posonlyargs, *node.args][-len(node.defaults) :]
                pairs = [
                    *zip(named, node.defaults, strict=False),
                    *zip(node.kwonlyargs, node.kw_defaults, strict=True),
                ]
                values = [value for name, value in pairs if name.arg == "protocol"]
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "protocol":
                values = [*ast.walk(node.value)] if node.value else []
            if isinstance(node, ast.keyword) and node.arg == "default":
                values = [node.value]
            found += [
                f"{file.name}:{node.value}"
                for node in values
                if isinstance(node, ast.Constant) and node.value in PROTOCOLS
            ]
    assert found == []


def test_the_documents_say_it():
    for name in ("glossary", "rewards"):
        text = (ROOT / "docs" / f"{name}.md").read_text()
        assert "`corrected`" in text
        assert "`published`" in text


def test_an_unknown_protocol_is_refused():
    with pytest.raises(ValueError, match="expected one of published, corrected"):
        check_protocol("strict")
