"""Texts that no parser of structures may take, or spend long on."""


def deep(opening: str, closing: str = "", levels: int = 100_000) -> str:
    return opening * levels + closing * levels


def aliases(item: str, items: str) -> str:
    lines = [f"a0: &a0 {item}"]
    for number in range(1, 12):
        repeated = ", ".join([f"*a{number - 1}"] * 9)
        lines.append(f"a{number}: &a{number} {items.format(repeated)}")
    return "\n".join(lines)


ENTITIES = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))


def declared(attributes: str, elements: int) -> str:
    return f"<!DOCTYPE a [<!ATTLIST a {attributes}>]><r>{'<a/>' * elements}</r>"


LONG_NUMBER = "1" * 1_000_000
BASE_60 = "a: 1" + ":1" * 490_000
TAKEN = {"json": LONG_NUMBER, "yaml": BASE_60}
"""What the protocol ``corrected`` reads, as its standards say, and at once."""

HOSTILE = {
    "json": [
        '"' * 1_000_000,
        deep("["),
        deep("[", "]"),
        deep('{"a":', "}"),
        LONG_NUMBER,
        '"' + "\\" * 999_000,
    ],
    "yaml": [
        '"' * 999_999,
        "a: ." + "1" * 990_000,
        deep("["),
        deep("{"),
        deep("- "),
        deep("? "),
        deep("[", "]"),
        aliases("[x]", "[{}]"),
        aliases("{k: x}", "{{<<: [{}]}}"),
        "&a [*a]",
        "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 30_000)),
        BASE_60,
        "a: " + "9" * 990_000,
        "- a\n" * 250_000,
        "[" + "a," * 499_000 + "]",
        "!!timestamp x",
        "!!int ''",
        "!!bool x",
        "!!python/object/apply:os.system [ls]",
        "? [a]\n: b",
        "a: \ud800",
        # Python's hash of these is the same, 0.
        "{" + "".join(f"{number * (2**61 - 1)}: 1," for number in range(35_000)) + "}",
        "!!set {" + "".join(f"0x{number * (2**61 - 1):x}," for number in range(35_000)) + "}",
        "".join(f"%TAG !a{number}! b\n" for number in range(50_000)) + "--- a",
    ],
    "toml": [
        'a = "' + '"' * 990_000,
        "a = " + "{b = " * 10_000 + "1" + "}" * 10_000,
        "a = " + deep("["),
        "a = " + deep("{a ="),
        deep("a.") + "a = 1",
        "a" + deep(" . a") + " = 1",
        "[" + deep("a.") + "a]\n" + "k = 1\n" * 90_000,
        ".".join(['"a"'] * 200_000) + " = 1",
        "a = " + "9" * 990_000,
    ],
    "xml": [
        "<a b=" + '"' * 990_000,
        deep("<a>"),
        deep("<a>", "</a>"),
        f'<!DOCTYPE z [<!ENTITY a0 "lol">{ENTITIES}]><z>&a9;</z>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        "<a>\ud800</a>",
        declared(" ".join(f'a{number} CDATA "x"' for number in range(10_000)), 100_000),
        declared(f'a CDATA "{"x" * 100_000}"', 100_000),
    ],
    "csv": ['"' + "a" * 900_000 + '"', "a,b\n" + "1,2\n" * 100_000 + "3", "a" * 1_000_000],
}
