"""Who may talk to the player: addresses, secrets, and pages in browsers."""

import pytest

from ggp_player.front.admission import Admission
from ggp_player.front.request_reader import Refusal, RequestHead
from ggp_player.server.access import (
    TOKEN_SENDER,
    AccessRules,
    is_loopback,
    message_in,
)
from ggp_player.server.config import Config

SECRET = "a-secret-of-some-length"


def head(method: str = "POST", target: str = "/", **headers: str) -> RequestHead:
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return RequestHead(method, target, "1.1", pairs)


def sentence_of(verdict: Admission | Refusal) -> str:
    assert isinstance(verdict, Refusal)
    return verdict.sentence


def test_addresses_and_networks() -> None:
    rules = Config(allow=("192.0.2.0/24", "2001:db8::7")).access
    for address in ("192.0.2.9", "2001:db8::7", "127.0.0.1", "::1"):
        assert rules.check(head(), address) == Admission(address, head())
    for address in ("192.0.3.1", "2001:db8::8", ""):
        assert "see --allow" in sentence_of(rules.check(head(), address))
    assert isinstance(AccessRules().check(head(), "192.0.3.1"), Admission)


@pytest.mark.parametrize(
    "given",
    [
        head(target=f"/{SECRET}"),
        head(target=f"/{SECRET}/"),
        head(authorization=f"Bearer {SECRET}"),
        head(target=f"/{SECRET}", host="what.example.org"),
    ],
)
def test_a_secret(given: RequestHead) -> None:
    verdict = AccessRules(token=SECRET).check(given, "192.0.2.1")
    assert isinstance(verdict, Admission)
    assert verdict.sender == TOKEN_SENDER
    assert verdict.head.target == "/"


@pytest.mark.parametrize(
    "given",
    [
        head(),
        head(target=f"/{SECRET}x"),
        head(target=f"/x/{SECRET}"),
        head(authorization=f"Basic {SECRET}"),
        head(authorization="Bearer é"),
        head(target="/%C3%A9"),
    ],
)
def test_a_missing_or_wrong_secret(given: RequestHead) -> None:
    assert "see --token" in sentence_of(AccessRules(token=SECRET).check(given, "127.0.0.1"))


@pytest.mark.parametrize("target", ["/healthz", "/readyz"])
def test_this_machine_may_ask_for_health_without_the_secret(target: str) -> None:
    rules = AccessRules(token=SECRET)
    assert isinstance(rules.check(head("GET", target), "127.0.0.1"), Admission)
    for refused, address in (
        (head("GET", target), "192.0.2.1"),
        (head("POST", target), "127.0.0.1"),
        (head("GET", target, host="evil.example.org"), "127.0.0.1"),
        (head("GET", f"{target}/(info)"), "127.0.0.1"),
    ):
        assert isinstance(rules.check(refused, address), Refusal)


def test_the_secret_is_no_part_of_the_message() -> None:
    verdict = AccessRules(token=SECRET).check(head("GET", f"/{SECRET}/(info)"), "127.0.0.1")
    assert isinstance(verdict, Admission)
    assert message_in(verdict.head.target) == "(info)"


@pytest.mark.parametrize(
    "host", ["", "localhost:9147", "127.0.0.1:9147", "[::1]:9147", "PLAYER", "a.localhost:1"]
)
def test_names_that_are_ours(host: str) -> None:
    assert isinstance(AccessRules().check(head(host=host), "127.0.0.1"), Admission)


def test_a_domain_that_a_page_has_pointed_at_us() -> None:
    rules = AccessRules(hosts=frozenset({"player.example.org"}))
    assert isinstance(rules.check(head(host="Player.example.org:9147"), "127.0.0.1"), Admission)
    for host in ("evil.example.org", "127.0.0.1.example.org", "evil.example.org."):
        assert "see --allow-host" in sentence_of(rules.check(head(host=host), "127.0.0.1"))


@pytest.mark.parametrize(
    "given",
    [
        head(origin="http://evil.example.org"),
        head(origin="null"),
        head(sec_fetch_site="cross-site"),
        head("GET", "/(info)", sec_fetch_site="same-origin"),
    ],
)
def test_pages_in_browsers(given: RequestHead) -> None:
    assert "see --allow-origin" in sentence_of(AccessRules().check(given, "127.0.0.1"))
    every_page = AccessRules(origins=frozenset({"*"}))
    assert isinstance(every_page.check(given, "127.0.0.1"), Admission)


def test_one_page_may() -> None:
    rules = AccessRules(origins=frozenset({"http://a"}))
    assert isinstance(rules.check(head(origin="http://a"), "127.0.0.1"), Admission)
    assert isinstance(rules.check(head(origin="http://b"), "127.0.0.1"), Refusal)
    assert (rules.allowed_origin("http://a"), rules.allowed_origin("http://b")) == ("http://a", "")


def test_an_address_that_a_user_has_typed() -> None:
    assert isinstance(
        AccessRules().check(head("GET", "/", sec_fetch_site="none"), "127.0.0.1"), Admission
    )


@pytest.mark.parametrize(
    "target",
    ["/(ABORT m)", "/%28abort+m%29", "/;%0A(play%20m%20nil)", f"/;{'a' * 9000}%0A(abort%20m)"],
)
def test_changes_by_get_need_a_flag(target: str) -> None:
    assert "see --allow-get" in sentence_of(AccessRules().check(head("GET", target), "127.0.0.1"))
    allowed = AccessRules(get_changes=True)
    assert isinstance(allowed.check(head("GET", target), "127.0.0.1"), Admission)


def test_other_methods() -> None:
    verdict = AccessRules().check(head("DELETE"), "127.0.0.1")
    assert isinstance(verdict, Refusal)
    assert verdict.status == 405


def test_what_is_loopback() -> None:
    assert [host for host in ("localhost", "127.0.0.9", "::1", "0.0.0.0", "example.org")
            if is_loopback(host)] == ["localhost", "127.0.0.9", "::1"]  # fmt: skip


OWN = "http://192.0.2.1:9147"


@pytest.mark.parametrize("target", ["/", "/archive?game=x", "/matches/k/events", "/static/1/a.js"])
def test_our_own_pages_may_ask_for_one_another(target: str) -> None:
    rules = Config().access
    for headers in ({"sec_fetch_site": "same-origin"}, {"origin": OWN}, {}):
        given = head("GET", target, host="192.0.2.1:9147", **headers)
        assert rules.check(given, "192.0.2.7") == Admission("192.0.2.7", given)


@pytest.mark.parametrize("path", ["", "/0f", "/0f/end"])
def test_our_own_pages_may_ask_for_analyses(path: str) -> None:
    given = head("POST", f"/archive/1/analyses{path}", origin=OWN, host="192.0.2.1:9147")
    assert Config().access.check(given, "192.0.2.7") == Admission("192.0.2.7", given)
    assert isinstance(Config(pages=False).access.check(given, "192.0.2.7"), Refusal)


@pytest.mark.parametrize(
    "given",
    [
        head("POST", "/archive/1/analyses", origin="http://evil.example.org"),
        head("POST", "/archive/1/analyses", sec_fetch_site="cross-site"),
        head("POST", "/archive/1/analyses/0f/other", sec_fetch_site="same-origin"),
        head("POST", "/archive/1/data", sec_fetch_site="same-origin"),
        head("POST", "/archive", sec_fetch_site="same-origin"),
        head("POST", "/", origin=OWN, host="192.0.2.1:9147"),
        head("GET", "/(info)", sec_fetch_site="same-origin"),
        head("GET", "/archive", sec_fetch_site="cross-site"),
        head("GET", "/archive", sec_fetch_site="same-site"),
        head("GET", "/archive", sec_fetch_site="same-origin", host="evil.example.org"),
        head("GET", "/archive", origin=OWN, host="192.0.2.1:9148"),
        head("GET", "/archive", origin="null", host="192.0.2.1:9147"),
    ],
)
def test_pages_may_ask_for_nothing_else(given: RequestHead) -> None:
    assert isinstance(Config().access.check(given, "192.0.2.7"), Refusal)


def test_without_pages_nothing_is_asked_for_by_them() -> None:
    given = head("GET", "/archive", sec_fetch_site="same-origin")
    assert isinstance(Config(pages=False).access.check(given, "127.0.0.1"), Refusal)


def test_what_stands_before_a_path_is_kept_for_links() -> None:
    rules = AccessRules(token=SECRET)
    verdict = rules.check(head("GET", f"/{SECRET}/archive"), "192.0.2.1")
    assert isinstance(verdict, Admission)
    assert (verdict.base, verdict.head.target) == (f"/{SECRET}", "/archive")
    verdict = rules.check(head("GET", "/archive", authorization=f"Bearer {SECRET}"), "192.0.2.1")
    assert isinstance(verdict, Admission)
    assert (verdict.base, verdict.head.target) == ("", "/archive")
