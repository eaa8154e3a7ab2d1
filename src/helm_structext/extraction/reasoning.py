"""What stands around an answer: the reasoning before it, and marks of its end behind it.

Most servers take both away; raw outputs have them. Sources: the chat templates of the models.
"""

from helm_structext.patterns import Pattern

BLANKS = " \t\r\n\f\v\xa0\u200b\ufeff"
"""White space, and what nobody sees, such as byte order marks."""

NAMES = ("think", "thinking", "reasoning", "seed:think")
"""Of elements around reasoning."""
_TAGS = f"(?i:{'|'.join(NAMES)})"
# How reasoning begins and ends, as expressions.
MARKS = (
    (r"\[THINK\]", r"\[/THINK\]"),  # Mistral
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>(?:\s*<\|begin_of_solution\|>)?"),  # Sky-T1
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>(?:\s*<\|START_RESPONSE\|>)?"),  # Command A
    # Harmony, of gpt-oss.
    (
        r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<]*<\|message\|>",
        r"(?:<\|start\|>assistant)?<\|channel\|>final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>",
    ),
)
_BEGIN, _END = ("|".join(one) for one in zip(*MARKS, strict=True))
_ELEMENTS = ((f"(?i:<{name}>)", f"(?i:</{name}>)") for name in NAMES)
_BLOCKS = "|".join(rf"{begin}.*?(?:{end}|\z)" for begin, end in (*_ELEMENTS, *MARKS))
# Where Harmony's marks are taken away, its words are left.
BLOCKS = Pattern(rf"(?s)\s*analysis.*?assistantfinal|(?:\s*(?:{_BLOCKS}))+")
# An element of a document may have such a name, and attributes.
MARK = Pattern(rf"(?P<begin><{_TAGS}(?:\s[^>]*)?>|{_BEGIN})|(?P<end></{_TAGS}>|{_END})")
_ENDS = (
    r"<\|?(?:im_end|eot|eot_id|eom_id|endoftext|end_of_text|end_of_turn|eos|pad|end_of_solution"
    r"|END_RESPONSE|END_OF_TURN_TOKEN)\|?>|<\|(?:end|return|call|user|observation)\|>"
    r"|[<‹]｜end▁of▁sentence｜>"
)
END_OF_TURN = Pattern(rf"(?:\s*(?:{_ENDS}))+\s*\z")
END_OF_SEQUENCE = Pattern(rf"(?:\s*(?:{_ENDS}|</s>))+\s*\z")
STRUCK = Pattern(r"(?i)<s[\s/>]")
"""The element of HTML that is closed by what ends a sequence of many models."""


def without_reasoning(completion: str) -> str:
    """Returns a completion without the reasoning that it begins with.

    A block that is never closed leaves nothing. What precedes a closing mark that was never opened
    is reasoning too: some chat templates open it in the prompt.

    >>> without_reasoning("<think>2 + 2</think>4"), without_reasoning("2 + 2</think>4")
    ('4', '4')
    >>> without_reasoning("<think>2 + 2 is"), without_reasoning("<p><think></think></p>")
    ('', '<p><think></think></p>')
    """
    blocks = BLOCKS.match(completion)
    text = completion[blocks.end() :] if blocks else completion
    first = MARK.search(text)
    return text[first.end() :] if first and first["end"] else text


def answer(completion: str) -> str:
    """Returns a completion without reasoning before it, marks behind it, and blanks around it.

    >>> answer("<think>A circle.</think>\\n<svg/><|im_end|>\\n"), answer("<p>1</p></s>")
    ('<svg/>', '<p>1</p>')
    >>> answer("<p><s>1</s>")
    '<p><s>1</s>'
    """
    text = without_reasoning(completion.strip(BLANKS))
    end = END_OF_TURN if STRUCK.search(text) else END_OF_SEQUENCE
    return end.sub("", text).strip(BLANKS)
