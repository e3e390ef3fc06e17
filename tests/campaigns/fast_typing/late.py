"""A server whose answers to changes are late, each by another time."""

import os
import random
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

SHORTEST_MS, LONGEST_MS = 50, 800


class Late:
    """Middleware, outermost: what script posts is answered after 50 to 800 ms."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response
        self._chance = random.Random(int(os.environ.get("TYPING_SEED", "1")))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if request.headers.get("HX-Request"):
            time.sleep(self._chance.uniform(SHORTEST_MS, LONGEST_MS) / 1000)
        return response
