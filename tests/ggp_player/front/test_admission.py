"""What the front hands on of a request, and from whom."""

from ggp_player.front.admission import Admission, open_access, plain_address
from ggp_player.front.request_reader import RequestHead


def test_addresses_are_written_in_one_way() -> None:
    assert plain_address("::ffff:192.0.2.1") == "192.0.2.1"
    assert plain_address("fe80::1%eth0") == "fe80::1"
    assert plain_address("somewhere") == "somewhere"


def test_open_access_admits_everything_as_it_is() -> None:
    head = RequestHead("DELETE", "/api/players/ann", "1.1", (("host", "a.example.org"),))
    assert open_access(head, "192.0.2.1") == Admission("192.0.2.1", head)
