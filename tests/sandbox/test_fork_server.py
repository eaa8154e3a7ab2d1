"""The client side of servers that fork for each job: the protocol, and which are used again."""

import pytest

from helm_structext.errors import RenderError
from helm_structext.sandbox import ForkServer, Limits, ProcessDied, SandboxProfile

PROFILE = SandboxProfile(programs=("head", "sleep"))
# Answers a request for one file with its name and content; the file says how the job ended.
# No engine is ready as soon as a shell, which may be before bubblewrap has closed what it does not need.
SERVER = """sleep 0.2
echo ready
while read -r name size; do
  content=$(head -c "$size")
  set -- $content
  printf '{"status": %s, "left": %s, "files": {"log": %s, "copy": %s}}\\n%s%s' \
    "$1" "$2" "${#name}" "${#content}" "$name" "$content"
done"""


@pytest.fixture
def server():
    started = ForkServer(["sh", "-c", SERVER], PROFILE, Limits())
    yield started
    started.close()


def test_files_are_sent_and_come_back(server):
    for code in (b"0 0", b"3 0 \xc3\xa9\n."):
        reply = server.process({"a b/\N{SNOWMAN}": code}, 9)
        assert reply.files["copy"] == code
        assert reply.log == "a%20b/%E2%98%83"
        assert reply.status == int(code[:1])
        assert server.reusable()
        reply.check_signal()


@pytest.mark.parametrize("code", [b"0 1", b"-9 0"])
def test_server_is_not_used_again_when_a_job_left_something_or_was_killed(server, code):
    server.process({"x": code}, 9)
    assert not server.reusable()


def test_signal_is_a_death_of_the_process(server):
    with pytest.raises(ProcessDied, match="ended by signal 11"):
        server.process({"x": b"-11 0"}, 9).check_signal()


def test_server_that_leaves_a_process_is_not_used_again():
    line = ["sh", "-c", SERVER.replace("set --", "sleep 60 </dev/null >/dev/null & set --")]
    server = ForkServer(line, PROFILE, Limits())
    server.process({"x": b"0 0"}, 9)
    assert not server.reusable()
    server.close()


def test_server_that_ends_or_says_nothing_does_not_hang():
    with pytest.raises(ProcessDied, match="no display"):
        ForkServer(["sh", "-c", "echo no display >&2"], PROFILE, Limits())
    server = ForkServer(["sh", "-c", "echo ready; exec sleep 60"], PROFILE, Limits())
    with pytest.raises(RenderError, match="timeout"):
        server.process({"x": b""}, 0.2)


FORGED = {
    "nothing": b"\n",
    "no JSON": b"ready\n",
    "a list": b"[]\n",
    "null": b"null\n",
    "a number": b"7\n",
    "not UTF-8": b"\xff\xfe\xfd\n",
    "no status": b'{"left": 0, "files": {}}\n',
    "no left": b'{"status": 0, "files": {}}\n',
    "no files": b'{"status": 0, "left": 0}\n',
    "a status in words": b'{"status": "0", "left": 0, "files": {}}\n',
    "a fraction": b'{"status": 0.5, "left": 0, "files": {}}\n',
    "NaN": b'{"status": NaN, "left": 0, "files": {}}\n',
    "a list of files": b'{"status": 0, "left": 0, "files": []}\n',
    "a size in words": b'{"status": 0, "left": 0, "files": {"log": "1"}}\n',
    "a size below 0": b'{"status": 0, "left": 0, "files": {"log": -1}}\n',
    "5,000 digits": b'{"status": 0, "left": ' + b"9" * 5000 + b', "files": {}}\n',
    "deep": b"[" * 50_000 + b"\n",
    "more than a reply": b'{"status": 0, "left": 0, "files": {"log": 1}}\nab',
    "a line without end": b"{" * 2**20,
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_reply_is_a_death_of_the_server(name):
    says_what_it_hears = 'echo ready; read -r name size; head -c "$size"; exec sleep 60'
    server = ForkServer(["sh", "-c", says_what_it_hears], PROFILE, Limits())
    with pytest.raises(ProcessDied):
        server.process({"x": FORGED[name]}, 9)


def test_a_reply_that_says_it_is_endless_is_not_waited_for():
    says_what_it_hears = 'echo ready; read -r name size; head -c "$size"; exec sleep 60'
    server = ForkServer(["sh", "-c", says_what_it_hears], PROFILE, Limits(output=2))
    head = b'{"status": 0, "left": 0, "files": {"log": 1' + b"0" * 30 + b"}}\n"
    with pytest.raises(RenderError, match="more than 2 MiB of output"):
        server.process({"x": head}, 60)


def test_a_file_that_the_reply_does_not_name_is_empty(server):
    assert server.process({"x": b"0 0"}, 9).files["page"] == b""
