"""What a page that threw must show to be a picture: a pixel that is not its own background."""

import pytest

from helm_structext.errors import RenderError
from helm_structext.renderers import render

THROWS = "<script>missing()</script>"
NOTHING = {
    "white box": "<div style='width:99px;height:99px;background:#fff'></div>",
    "transparent": "<div style='width:99px;height:99px;background:red;opacity:0'></div>",
    "parent transparent": "<div style='opacity:0'><div style='width:99px;height:99px;background:red'>x</div></div>",
    "hidden": "<div style='visibility:hidden'><div style='width:99px;height:99px;background:red'>x</div></div>",
    "off screen": "<div style='position:absolute;left:-999px;width:99px;height:99px;background:red'></div>",
    "clipped": "<div style='width:0;height:0;overflow:hidden'><div style='width:99px;height:99px;background:red'>t</div></div>",
    "clip-path": "<div style='clip-path:inset(50%);width:99px;height:99px;background:red'></div>",
    "scale 0": "<div style='transform:scale(0);width:99px;height:99px;background:red'></div>",
    "transparent border": "<div style='border:9px solid transparent'></div>",
    "transparent gradient": "<div style='height:99px;background:linear-gradient(transparent,transparent)'></div>",
    "transparent shadow": "<div style='height:99px;box-shadow:0 0 9px transparent'></div>",
    "white text": "<p style='color:white'>x",
    "text the color of the body": "<body style='background:navy;color:navy'>hello",
    "gradient body": "<body style='background:linear-gradient(red,blue)'><canvas></canvas>",
    "dark page": "<style>html{background:#111}body{background:#222;height:300px}</style><canvas></canvas>",
    "one level of gray": "<p style='color:#fefefe'>hello",
    "as gray as its page": "<body style='background:#808080'><div style='height:99px;background:#818181'></div>",
    "blank canvas": "<canvas width=99 height=99></canvas>",
    "white canvas": "<canvas id=c></canvas><script>g=c.getContext('2d');g.fillStyle='white';g.fillRect(0,0,999,999)</script>",
    "empty svg": "<svg width=99 height=99></svg>",
    "blank frame": "<iframe style='border:0' srcdoc=''></iframe>",
    "behind": "<div style='position:fixed;inset:0;background:red;z-index:-1'></div><div style='position:fixed;inset:0;background:white'></div>",
    "filter": "<div style='filter:opacity(0);background:red;height:99px'></div>",
    "animated background": "<style>@keyframes a{to{background:blue}}body{animation:a 3s infinite;background:red}</style>",
}
SOMETHING = {
    "text": "hello",
    "box": "<div style='width:9px;height:9px;background:#f8f8f8'></div>",
    "canvas fill": "<canvas id=c width=3000 height=3000 style='position:fixed;inset:0'></canvas><script>g=c.getContext('2d');g.fillStyle='teal';g.fillRect(0,0,3000,3000)</script>",
    "border": "<canvas style='border:1px solid'></canvas>",
    "input": "<input>",
    "dialog": "<dialog id=d>x</dialog><script>d.showModal()</script>",
    "shadow": "<div id=d></div><script>d.attachShadow({mode:'open'}).innerHTML='<b>x</b>'</script>",
    "text in dark": "<body style='background:navy;color:white'>hello",
    "list marker": "<ul><li></li></ul>",
    "important": "<div style='opacity:1 !important;background:red;height:9px'></div>",
    "pseudo element": "<style>p::before{content:'x'}</style><p></p>",
    "img broken": "<img src=x.png alt=Alternative>",
    "table": "<table border=1><tr><td></table>",
    "hr": "<hr>",
    "far": "<div style='height:2000px'></div><p>low",
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_nobody_sees_does_not_hide_an_error(name):
    with pytest.raises(RenderError, match=r"syntax: index\.html:.*missing is not defined"):
        render("html", NOTHING[name] + THROWS)


@pytest.mark.parametrize("name", SOMETHING)
def test_what_somebody_sees_is_a_picture_with_the_error_in_its_log(name):
    seen = render("html", SOMETHING[name] + THROWS)
    assert "missing is not defined" in seen.log
    assert (
        seen.image.tobytes()
        == render("html", SOMETHING[name] + "<script></script>").image.tobytes()
    )
