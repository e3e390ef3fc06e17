"""What carries a generic client's requests: Django's test client, or real HTTP. Neither has script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import urlsplit

import requests
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.datastructures import MultiValueDict
from django.utils.http import urlencode

from tests.journeys.page import Button, Form, Page

# By the control's name: the file's name, and its content.
Files = Mapping[str, tuple[str, bytes]]
NO_FILES: Files = {}

_NOT_READ = "<html><body><main></main></body></html>"
FORM = "application/x-www-form-urlencoded"
_MOST_REDIRECTS = 5


class Browser(Protocol):
    """Gets a page, and sends a form by one of its buttons; gives the page where that leads, unless nobody reads it."""

    def get(self, address: str) -> Page: ...

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page: ...


class InProcessBrowser:
    """Django's test client, with what a browser posts."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def get(self, address: str) -> Page:
        path = path_of(address)
        for _ in range(_MOST_REDIRECTS):
            response = self.client.get(path)
            if response.status_code not in (301, 302, 303):
                return Page(response.content.decode(), path, response.status_code)
            path = path_of(response["Location"])
        raise AssertionError(f"{address} redirects for ever")

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        pairs, path = form.data(button), path_of(button.action)
        if form.method == "get":
            return self.get(f"{path.partition('?')[0]}?{urlencode(pairs)}")
        if form.is_multipart:
            data = MultiValueDict[str, object]()
            for name, value in pairs:
                data.appendlist(name, value)
            for name, (filename, content) in files.items():
                data.appendlist(name, SimpleUploadedFile(filename, content))
            response = self.client.post(path, dict(data.lists()))
        else:
            response = self.client.post(path, urlencode(pairs), content_type=FORM)
        if response.status_code in (302, 303) and not follow:
            return Page(_NOT_READ, path)
        if response.status_code in (302, 303):
            return self.get(response["Location"])
        return Page(response.content.decode(), path, response.status_code)


class HttpBrowser:
    """Real HTTP to a server at a base address, with its cookies."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.session = requests.Session()

    def get(self, address: str) -> Page:
        return self._page(self.session.get(self.base + path_of(address), timeout=30))

    def send(self, form: Form, button: Button, *, files: Files = NO_FILES, follow: bool = True) -> Page:
        pairs, path = form.data(button), path_of(button.action)
        if form.method == "get":
            return self.get(f"{path.partition('?')[0]}?{urlencode(pairs)}")
        answer = self.session.post(
            self.base + path,
            data=pairs,
            files=files if form.is_multipart else None,
            headers={"Origin": self.base},
            allow_redirects=follow,
            timeout=30,
        )
        return self._page(answer) if answer.content else Page(_NOT_READ, path)

    @staticmethod
    def _page(answer: requests.Response) -> Page:
        return Page(answer.content.decode(), path_of(answer.url), answer.status_code)


def path_of(address: str) -> str:
    url = urlsplit(address)
    return url.path + (f"?{url.query}" if url.query else "")
