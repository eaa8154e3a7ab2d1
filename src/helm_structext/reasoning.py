"""What stands around an answer: the reasoning before it, and marks of its end behind it.

Most servers take both away; raw outputs have them. Sources: the chat templates of the models that
are named here.
"""

from helm_structext.patterns import Pattern

BLANKS = " \t\r\n\f\v\xa0\u200b\ufeff"
"""White space, and what nobody sees, such as byte order marks."""

# How reasoning begins and ends, as expressions.
MARKS = (
    *(
        (f"<{name}>", f"</{name}>")
        for name in ("think", "thinking", "thought", "reasoning", "seed:think")
    ),
    (r"\[THINK\]", r"\[/THINK\]"),  # Mistral
    ("◁think▷", "◁/think▷"),  # Kimi
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>(?:\s*<\|begin_of_solution\|>)?"),  # Sky-T1
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>(?:\s*<\|START_RESPONSE\|>)?"),  # Command A
    # Harmony, of gpt-oss; without its marks, only the words of the last one are left.
    (
        r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<]*<\|message\|>",
        r"(?:<\|start\|>assistant)?<\|channel\|>final[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>",
    ),
)
_BEGIN, _END = ("|".join(one) for one in zip(*MARKS, strict=True))
_BLOCKS = "|".join(rf"{begin}.*?(?:{end}|\z)" for begin, end in MARKS)
BLOCKS = Pattern(rf"(?is)(?:\s*(?:{_BLOCKS}))+")
MARK = Pattern(rf"(?i)(?P<begin>{_BEGIN})|(?P<end>{_END}|assistantfinal)")
END_OF_TURN = Pattern(
    r"(?:\s*(?:<\|(?:im_end|eot|eot_id|eom_id|endoftext|end_of_text|end_of_turn|end|return|call|user"
    r"|observation|end_of_solution|END_RESPONSE|END_OF_TURN_TOKEN)\|>"
    r"|<(?:im_end|eot_id|eom_id|endoftext|end_of_text|end_of_turn|eos)>"
    r"|[<‹]｜end▁of▁sentence｜>))+\s*\z"
)
# It ends a turn, and in HTML what is struck out.
STRUCK = Pattern(r"(?i)<s[\s>]")
END_OF_SEQUENCE = "</s>"


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
    text = END_OF_TURN.sub("", without_reasoning(completion.strip(BLANKS))).strip(BLANKS)
    if text.endswith(END_OF_SEQUENCE) and not STRUCK.search(text):
        return text.removesuffix(END_OF_SEQUENCE).strip(BLANKS)
    return text
