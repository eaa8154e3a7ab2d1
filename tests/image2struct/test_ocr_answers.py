"""What the OCR model answers in each format renders, and shows what was read."""

import pytest

from helm_structext.formats import rendered_formats
from helm_structext.image2struct.ocr import READERS
from helm_structext.renderers import render_completion

READ = 'Rain & snow: 50% of "x_1" <b>\n{{ a }} ${b}$ #c \\d ~ ^\n\n</script> Ende'


@pytest.mark.parametrize("format", rendered_formats())
def test_an_answer_renders(format):
    answer = READERS[format].write(READ, "")
    picture = render_completion(format, answer, protocol="corrected").image
    assert picture.convert("L").getextrema()[0] < 128
