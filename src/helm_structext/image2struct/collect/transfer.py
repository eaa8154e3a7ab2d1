"""One request over the wire: bounded in bytes, in seconds and in redirects; no secret stays behind."""

import asyncio
import gzip
import io
import logging
import socket
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from ssl import SSLContext
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx

from helm_structext.image2struct.collect.answers import HostRequest, HostResponse
from helm_structext.image2struct.collect.refusals import CandidateRefused
from helm_structext.texts import describe_error, one_line, quote_value

MAX_REDIRECTS = 5
MAX_URL = 8_000
"""Characters."""
TIMEOUT = httpx.Timeout(60.0, connect=20.0)
"""Seconds in which nothing at all may come, and which a connection may take."""

_GZIP = ("gzip", "x-gzip")
_HIDDEN = "[credential]"
_LOGGERS = ("httpx", "httpcore")  # which log headers of answers, and these may repeat a secret
_NAT64 = ip_network("64:ff9b::/96")
"""Whose last 32 bits are an address of IPv4 (RFC 6052, section 2.1)."""


class NoAnswer(Exception):
    """Nothing came that answers a question, but it may come if it is asked again.

    Args:
        message: what happened; without secrets.
        filter: the name of the refusal if that is how it stays; "" where the host is at fault.
        wait: seconds for which the host wants no request, if it says so.
        limited: there were too many requests, and that is all.
        final: another try would fare no better.
    """

    def __init__(
        self,
        message: str,
        filter: str = "",
        wait: float | None = None,
        *,
        limited: bool = False,
        final: bool = False,
    ) -> None:
        super().__init__(message)
        self.filter, self.wait, self.limited, self.final = filter, wait, limited, final


@dataclass(frozen=True, repr=False)
class Credential:
    """A secret that goes to one origin, in a header of each request.

    Args:
        secret: that nothing but the request may hold.
        address: whose scheme, host and port are the origin.
        header: that carries it.
        value: of the header.
    """

    secret: str
    address: str
    header: str
    value: str

    def add_to(self, request: httpx.Request) -> None:
        """Sets the header where the request goes to the origin, and takes it away where not."""
        request.headers.pop(self.header, None)
        if _origin(request.url) == _origin(httpx.URL(self.address)):
            request.headers[self.header] = self.value

    def is_in(self, text: str) -> bool:
        return bool(self.secret) and self.secret in text

    def hide(self, text: str) -> str:
        return text.replace(self.secret, _HIDDEN) if self.secret else text

    def hide_in(self, content: bytes) -> bytes:
        secret = self.secret.encode()
        return content.replace(secret, _HIDDEN.encode()) if secret else content


NOTHING_TO_HIDE = Credential("", "", "authorization", "")


class Wire:
    """Sends requests; threads may share it.

    Args:
        agent: the ``User-Agent``.
        seconds: that an answer may take in all, from the request to its end.
    """

    def __init__(self, agent: str, seconds: float) -> None:
        self._seconds = seconds
        self._headers = {"user-agent": agent, "accept-encoding": "gzip"}
        self._ssl = httpx.create_ssl_context()
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.WARNING)

    def send(self, question: HostRequest, credential: Credential | None = None) -> HostResponse:
        """Returns the answer to a request, after redirects.

        Raises:
            NoAnswer: none came, or not all of it.
            CandidateRefused: it is too large, or comes from nowhere.
        """
        credential = credential or NOTHING_TO_HIDE
        try:
            response, content = asyncio.run(self._send(question, credential))
        except Exception as error:  # whatever the network and the host do
            problem = self._problem(error, credential)
        else:
            headers = {
                name.lower(): credential.hide(value)
                for name, value in response.headers.items()
                if name.lower() not in ("set-cookie", "www-authenticate")
            }
            content = credential.hide_in(content)
            return HostResponse(response.status_code, headers, content, str(response.url))
        # Not while the other is handled: exceptions of httpx hold the request, and it the secret.
        raise problem

    async def _send(
        self, question: HostRequest, credential: Credential
    ) -> tuple[httpx.Response, bytes]:
        # A connection for each question: hosts are asked seconds apart.
        client = httpx.AsyncClient(
            verify=self._ssl,
            headers=self._headers,
            timeout=TIMEOUT,
            transport=_JudgingTransport(self._ssl),
        )
        async with asyncio.timeout(self._seconds), client:
            request = client.build_request(
                question.method, question.url, headers=question.headers, content=question.body
            )
            for _ in range(MAX_REDIRECTS + 1):
                credential.add_to(request)
                response = await client.send(request, stream=True)
                if response.next_request is None:
                    return response, await _body(response, question.max_bytes)
                await response.aclose()
                check_redirect(request.url, response.next_request.url, credential)
                request = response.next_request
                request.headers.update(question.headers)  # of which httpx drops cookies
        raise CandidateRefused("not_served", f"more than {MAX_REDIRECTS} redirects")

    def _problem(self, error: Exception, credential: Credential) -> Exception:
        """What an exception means; without what it holds."""
        said = one_line(credential.hide(describe_error(error)))
        match error:
            case CandidateRefused():
                return CandidateRefused(error.filter, credential.hide(error.reason))
            case TimeoutError():
                late = f"no whole answer within {self._seconds:.0f} seconds"
                return NoAnswer(late, "too_slow", final=True)
            case httpx.ReadTimeout():
                return NoAnswer("nothing comes", "too_slow")
            case httpx.InvalidURL() | httpx.RemoteProtocolError(__context__=httpx.InvalidURL()):
                return CandidateRefused("not_served", "a redirect to what is no address")
            case UnicodeError():  # a label of more than 63 letters, which httpx lets pass
                return CandidateRefused("not_served", f"a name that no host can have: {said}")
            case httpx.RemoteProtocolError() | httpx.ReadError():
                return NoAnswer(said, "incomplete")
            case EOFError() | zlib.error() | gzip.BadGzipFile():
                return NoAnswer(f"the body is no whole gzip stream: {said}", "incomplete")
            case httpx.HTTPError() | OSError():
                return NoAnswer(said)
        return RuntimeError(said)


class _JudgingTransport(httpx.AsyncHTTPTransport):
    """Looks a name up once, judges all of its addresses, and connects to one of them.

    One question, with its redirects, may stay inside of a network where it began there (a mirror); what began on the
    internet is never led in. Where a proxy looks names up, the addresses are its own to judge.

    Args:
        ssl: how certificates are checked.
    """

    _began_inside: bool | None = None

    def __init__(self, ssl: SSLContext) -> None:
        super().__init__(verify=ssl)
        self._proxied = {
            scheme: httpx.AsyncHTTPTransport(verify=ssl, proxy=_with_scheme(address))
            for scheme, address in getproxies().items()
            if scheme in ("http", "https", "all")
        }

    async def __aexit__(self, *error: Any) -> None:
        for proxied in self._proxied.values():
            await proxied.aclose()
        await super().__aexit__(*error)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        proxied = self._proxied.get(request.url.scheme) or self._proxied.get("all")
        if proxied and not proxy_bypass(request.url.host):
            return await proxied.handle_async_request(request)
        named = request.url
        addresses = await _look_up(named)
        inside = any(map(_is_inside, addresses))
        if self._began_inside is None:
            self._began_inside = inside
        if inside and not self._began_inside:
            raise CandidateRefused("not_served", _leads_inside(str(named)))
        request.extensions = {**request.extensions, "sni_hostname": named.host}
        *others, last = (named.copy_with(host=str(address)) for address in addresses)
        try:
            for request.url in others:
                with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                    return await super().handle_async_request(request)
            request.url = last
            return await super().handle_async_request(request)
        finally:
            request.url = named


def _with_scheme(proxy: str) -> str:
    return proxy if "://" in proxy else f"http://{proxy}"


async def _look_up(url: httpx.URL) -> list[IPv4Address | IPv6Address]:
    """The addresses of a host, each once, in the order in which they are to be tried."""
    port = url.port or {"http": 80, "https": 443}[url.scheme]
    found = await asyncio.get_running_loop().getaddrinfo(
        url.host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP
    )
    return [ip_address(text) for text in dict.fromkeys(str(entry[4][0]) for entry in found)]


def absolute(url: str, params: Mapping[str, str] | None = None) -> str:
    """Returns an address of the web, with its query.

    Raises:
        CandidateRefused: it is no address that can be asked.

    >>> absolute("http://a.org/b?c=d", {"e": "f g"})
    'http://a.org/b?c=d&e=f+g'
    """
    try:
        whole = httpx.URL(url).copy_merge_params(params) if params else httpx.URL(url)
    except Exception as error:  # a stranger's text
        raise CandidateRefused(
            "not_served", f"{quote_value(url)} is no address: {describe_error(error)}"
        ) from error
    named = whole.host and "%" not in whole.host  # into which httpx turns what no host has
    if whole.scheme not in ("http", "https") or not named or len(str(whole)) > MAX_URL:
        raise CandidateRefused("not_served", f"{quote_value(url)} is no address of the web")
    return str(whole)


def check_redirect(url: httpx.URL, target: httpx.URL, credential: Credential) -> None:
    """Looks whether a redirect leads where one may lead.

    Raises:
        CandidateRefused: out of the web or of encryption, into a network, or with the secret in its address.
    """
    absolute(str(target))
    where = quote_value(credential.hide(str(target)))
    if credential.is_in(str(target)):
        raise CandidateRefused("not_served", f"a redirect that repeats the credential, to {where}")
    if url.scheme == "https" and target.scheme == "http":
        raise CandidateRefused("not_served", f"a redirect from https to {where}")
    if _names_inside(target) and not _names_inside(url):
        raise CandidateRefused("not_served", f"a redirect: {_leads_inside(where)}")


def _leads_inside(where: str) -> str:
    return f"{where} leads to an address inside of a network"


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port  # None for the scheme's own


def _names_inside(url: httpx.URL) -> bool:
    """Whether an address says of itself that it is none of the internet, in any form that the system reads.

    >>> [_names_inside(httpx.URL(f"http://{host}/")) for host in ("127.1", "[::1]", "a.local", "a.org")]
    [True, True, True, False]
    """
    host = url.host
    try:
        return _is_inside(ip_address(host))
    except ValueError:
        pass
    try:
        return _is_inside(ip_address(socket.inet_aton(host)))
    except OSError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))


def _is_inside(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address, or the one of IPv4 that it stands for, is none of the internet.

    >>> [_is_inside(ip_address(text)) for text in ("64:ff9b::7f00:1", "2002:7f00:1::", "8.8.8.8")]
    [True, True, False]
    """
    if isinstance(address, IPv6Address):
        inner = IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
        address = inner or address.ipv4_mapped or address.sixtofour or address
    return not address.is_global or address.is_multicast


async def _body(response: httpx.Response, max_bytes: int) -> bytes:
    """The body, decompressed within its bound, and whole.

    httpx decompresses too, but takes a stream that is cut off for a whole one, reads the first
    member of several alone, and bounds nothing.
    """
    content = bytearray()
    try:
        async for piece in response.aiter_raw():
            content += piece
            if len(content) > max_bytes:
                break
    finally:
        await response.aclose()
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in _GZIP and len(content) <= max_bytes:
        content = bytearray(gzip.GzipFile(fileobj=io.BytesIO(content)).read(max_bytes + 1))
    elif encoding not in ("", "identity", *_GZIP):
        said = f"the body is encoded as {quote_value(encoding)}, which nobody asked for"
        raise CandidateRefused("not_served", said)
    if len(content) > max_bytes:
        raise CandidateRefused("too_large", f"more than {max_bytes:,} bytes")
    return bytes(content)
