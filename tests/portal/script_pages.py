"""A site of two forms, so that our script can be tried by itself: what it answers is what the test tells it to."""

from dataclasses import dataclass, field

from django.http import HttpRequest, HttpResponse, QueryDict
from django.template import engines
from django.urls import include, path

WHOLE = '{% csrf_token %}<button name="later" value="1">Save for later</button>'
FORMS = (
    """{% extends "base.html" %}{% block title %}Try{% endblock %}{% block heading %}<h1>Try</h1>{% endblock %}
{% block scripts %}<script src="{% static 'js/desk/copying.js' %}" defer></script>{% endblock %}
{% block content %}
  <form id="answers" method="post" hx-post="/save/" hx-trigger="change" hx-swap="none" novalidate>{% csrf_token %}
    <label for="name">Name</label><input id="name" name="name">
    <p id="region"></p>
    <button name="split" value="all">Split equally</button>
    <p class="without-script"><button name="update" value="1">Update questions</button></p>
  </form>
  <form id="whole" hx-post="/save/" hx-target="#whole">"""
    + WHOLE
    + """</form>
  <label for="words">To send</label><textarea id="words" readonly>Did it arrive?</textarea>
  <p class="with-script"><button type="button" data-copy="words">Copy the text</button></p>{% endblock %}"""
)
REGION = '<p id="region" hx-swap-oob="true">Opened</p>'
REFUSED = '{% include "ui/error_summary.html" %}' + WHOLE


@dataclass
class Server:
    """What the next post is answered with, and what was posted so far."""

    status: int = 200
    posted: list[QueryDict] = field(default_factory=list)


SERVER = Server()


def page(request: HttpRequest) -> HttpResponse:
    """The two forms."""
    return HttpResponse(engines["django"].from_string(FORMS).render({}, request))  # type: ignore[attr-defined]


def save(request: HttpRequest) -> HttpResponse:
    """A region for a change, the summary for a refusal, a body that nobody should see for the rest."""
    SERVER.posted.append(request.POST)
    if SERVER.status == 422:
        problems = [{"id": "name", "text": "Enter a name"}]
        refused = engines["django"].from_string(REFUSED)  # type: ignore[attr-defined]
        return HttpResponse(refused.render({"problems": problems}, request), status=422)
    return HttpResponse(REGION if SERVER.status == 200 else "", status=SERVER.status)


# The frame of every page leads to pages of the portal.
urlpatterns = [path("", page), path("save/", save), path("", include("formation_portal.portal.urls"))]
