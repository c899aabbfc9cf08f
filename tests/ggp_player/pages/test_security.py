"""What keeps pages safe."""

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from ggp_player.pages.security import PAGE_HEADERS, TOKEN_HEADER, WriteGuard

HOST = "127.0.0.1:9147"


@pytest.fixture
def guard() -> WriteGuard:
    return WriteGuard()


def request(guard: WriteGuard, method: str = "POST", **changed: str | None) -> web.Request:
    headers: dict[str, str | None] = {
        "Host": HOST,
        "Content-Type": "application/json",
        "Origin": f"http://{HOST}",
        "Sec-Fetch-Site": "same-origin",
        TOKEN_HEADER: guard.token,
    }
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    given = {name: value for name, value in headers.items() if value is not None}
    return make_mocked_request(method, "/", headers=given)


def test_a_page_of_this_server_may_change_something(guard: WriteGuard) -> None:
    guard.check(request(guard))
    guard.check(request(guard, Sec_Fetch_Site=None))  # as browsers do without TLS
    guard.check(request(guard, Sec_Fetch_Site=None, Origin=None))


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "GET"},
        {"Content_Type": "text/plain"},
        {"Origin": "http://evil.example.org"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"X_Page_Token": "wrong"},
        {"X_Page_Token": None},
    ],
)
def test_nobody_else_may(guard: WriteGuard, changed: dict[str, str | None]) -> None:
    with pytest.raises(web.HTTPException):
        guard.check(request(guard, **changed))  # type: ignore[arg-type]


def test_tokens_differ() -> None:
    assert WriteGuard().token != WriteGuard().token


def test_scripts_and_styles_come_from_files_alone() -> None:
    policy = PAGE_HEADERS["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
