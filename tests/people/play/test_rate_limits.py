"""Which requests are counted together."""

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from people.play.security import RateLimit


def request(address: str) -> HTTPConnection:
    return HTTPConnection({"type": "http", "headers": [], "client": (address, 1)})


def test_addresses_of_ipv4_are_apart_on_a_socket_for_both():
    limit = RateLimit(1)
    limit.check(request("::ffff:192.0.2.1"))
    limit.check(request("::ffff:192.0.2.2"))
    for same in ("::ffff:192.0.2.1", "192.0.2.1"):
        with pytest.raises(HTTPException):
            limit.check(request(same))


def test_networks_of_ipv6_are_one_and_this_machine_is_exempt():
    limit = RateLimit(1)
    limit.check(request("2001:db8::1"))
    with pytest.raises(HTTPException):
        limit.check(request("2001:db8::2"))
    for _ in range(3):
        for own in ("::ffff:127.0.0.1", "127.0.0.1", "::1"):
            limit.check(request(own))
