"""The client side of servers that fork for each job: the protocol, and which are used again."""

import pytest

from helm_structext.errors import RenderError
from helm_structext.sandbox import ForkServer, Limits, ProcessDied, SandboxProfile

PROFILE = SandboxProfile(programs=("head", "sleep"))
# Answers a request for one file with its name and content; the file says how the job ended.
SERVER = """echo ready
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
