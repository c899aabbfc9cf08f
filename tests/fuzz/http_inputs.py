"""Seeds and the mutator of HTTP requests. The first byte says how the others are split."""

from __future__ import annotations

from tests.fuzz.mutators import token_mutator

GAME = b"(role x) (init a) (legal x go) (<= (next b) (does x go)) (<= terminal (true b)) (goal x 1)"

_BODIES = (
    b"( INFO )",
    b"( PING )",
    b"",
    b"( START m x (" + GAME + b") 1 1)",
    b"( START \xc5\xb7 x (" + GAME + b" (legal x \xc5\xb7)) 1 1)",
    b"( PLAY m NIL )",
    b"( PLAY m (go ) )",
    b"( STOP m (go ) )",
    b"( ABORT m )",
    b"( PREVIEW (" + GAME + b") -1 )",
)


def _sized(body: bytes, count: int) -> bytes:
    return b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n%b" % (count, body)


SEEDS: tuple[bytes, ...] = (
    *(b"\xff" + _sized(body, len(body)) for body in _BODIES),
    b"\x07" + _sized(_BODIES[4], len(_BODIES[4].decode())),
    b"\x02POST / HTTP/1.1\r\n\r\n( INFO )\r\n",
    b"\xffPOST /x HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3;x=y\r\n(in\r\n3\r\nfo)\r\n0\r\nA: b\r\n\r\n",
    b"\xffGET /( INFO ) HTTP/1.0\r\n\r\n",
    b"\xffGET /%28START+m+x HTTP/1.1\r\nHost: localhost:1\r\nSec-Fetch-Site: cross-site\r\n\r\n",
    b"\xffGET http://x/0123456789abcdef/healthz HTTP/1.1\r\nOrigin: http://a.example\r\n\r\n",
    b"\xffGET /metrics HTTP/1.0\r\nAuthorization: Bearer 0123456789abcdef\r\n\r\n",
    b"\xffOPTIONS * HTTP/1.1\nHost: [::1]:80\nConnection: keep-alive, Upgrade\n\n",
    b"\x05\r\nPOST / HTTP/1.0\r\nSender: x\r\n y\r\nReceiver:\r\nExpect: 100-continue\r\n"
    b"Content-Type: text/acl\r\nContent-Length: 6\r\n\r\n(info)",
    b"\xff(info)",
    b"\xff\x16\x03\x01\x02\x00",
)

DONORS: tuple[bytes, ...] = (
    *(b"\r\n", b"\n", b"\r", b"\r\n\r\n", b" ", b"\t", b"\0", b":", b"(", b")", b";", b"%", b"%00"),
    *(b"POST", b"GET", b"OPTIONS", b"HEAD", b"CONNECT", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/0.9"),
    *(b"Content-Length: 0\r\n", b"Content-Length: 5\r\n", b"Content-Length: 99\r\n"),
    *(
        b"Transfer-Encoding: chunked\r\n",
        b"Content-Encoding: identity\r\n",
        b"Expect: 100-continue\r\n",
    ),
    *(
        b"Host: \r\n",
        b"Host: a.b\r\n",
        b"Host: [::1\r\n",
        b"Host: localhost\r\n",
        b"Host: 1.2.3.4:x\r\n",
    ),
    *(
        b"Origin: null\r\n",
        b"Upgrade: websocket\r\n",
        b"Connection: Upgrade\r\n",
        b"Authorization: \r\n",
    ),
    *(b"Sec-WebSocket-Key: x\r\n", b"Cookie: a=b; c\r\n", b"Content-Type: multipart/form-data\r\n"),
    *(
        b"Content-Type: text/acl; charset=x\r\n",
        b"Range: bytes=0-\r\n",
        b"If-Modified-Since: x\r\n",
    ),
    *(
        b"0\r\n\r\n",
        b"1\r\na\r\n",
        b"ffffffff\r\n",
        b"/",
        b"//",
        b"?",
        b"#",
        b"*",
        b"/..",
        b"http://",
    ),
    *(
        b"/healthz",
        b"/readyz",
        b"/metrics",
        b"0",
        b"1",
        b"-1",
        b"1000000000000",
        b"\xff",
        b"\xc5\xb7",
    ),
    *(b"(INFO)", b"(ABORT m)", b"(PLAY m NIL)", b"(STOP m NIL)", b"(PREVIEW () 1)", b"START", b"a"),
)

mutate = token_mutator(rb"\r?\n|[A-Za-z-]+|\d+|[^A-Za-z0-9\r\n]|\r", DONORS)
