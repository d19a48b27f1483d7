"""Limits of how often one address may do something."""

import ipaddress
import math
import time
from collections import OrderedDict

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from people.play.page_texts import TOO_OFTEN

MAX_ADDRESSES = 10_000
"""Addresses that are remembered; the one that was quiet for longest is forgotten."""


class RateLimit:
    """At most `per_minute` requests from each address on average, and as many in one burst.

    Addresses of this machine are not limited: behind a web server that does not forward addresses, everyone
    has the same. In IPv6 all addresses of a /64 network count as one, since a single computer can have them.
    """

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """For each address how many requests were left, and when."""

    def check(self, connection: HTTPConnection) -> None:
        """Count a request. Raises HTTPException (429) if it is one too many."""
        address = _network(connection.client.host if connection.client else "")
        if address is None:
            return
        now = time.monotonic()
        left, at = self._left.pop(address, (float(self._per_minute), now))
        left = min(left + (now - at) * self._per_minute / 60, self._per_minute)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > MAX_ADDRESSES:
            self._left.popitem(last=False)
        if left < 1:
            wait_s = math.ceil((1 - left) * 60 / self._per_minute)
            raise HTTPException(429, TOO_OFTEN, {"retry-after": str(wait_s)})


def _network(address: str) -> str | None:
    """What is limited together; None: this machine."""
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    # A socket for IPv6 that takes IPv4, too, writes its addresses as ::ffff:a.b.c.d.
    known = getattr(known, "ipv4_mapped", None) or known
    if known.is_loopback:
        return None
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)
