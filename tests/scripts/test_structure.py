"""What is counted of the package: lines of code, circles of files, lumps of rooms, arrows up."""

from structure import arrows_up, structure


def test_lines_circles_and_lumps(tmp_path):
    package = tmp_path / "package"
    for name, code in {
        "__init__": "",
        "alone": '"""What it is."""\n\nX = (\n    1,  # why\n)\n',
        "circle/__init__": "",
        "circle/one": "from package.circle.two import y\n",
        "circle/two": "import package.circle.one\n",
        "above": "from package.below import z\n",
        "below": "def z():\n    from package import above\n    return above\n",
        "etc/inside": "import package\n",
    }.items():
        file = package / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code)
    lines, circles, lumps = structure(package)
    assert lines == {"(itself)": 0, "alone": 3, "circle": 2, "above": 1, "below": 3}
    assert circles == [["package.circle.one", "package.circle.two"]]
    assert lumps == [["above", "below"]]
    assert arrows_up(package, ["circle", "alone", "below", "above"]) == [
        "package.below → package.above"
    ]
