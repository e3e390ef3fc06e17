"""Restore a choice whose change made many answers inactive, and save the page's other answers."""

from dataclasses import replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.policies import UserRequest, customer
from formation_portal.applications import services
from formation_portal.applications.models import Change
from formation_portal.applications.services import SaveResult

from .lookups import get_share_class_or_404, get_share_section_or_404, party_not_found
from .parties.pages import party_page
from .parties.removed import restores_removed_party
from .sections.changes import sentence_about
from .sections.pages import QuestionPage, section_page
from .sections.views import QuestionPageView
from .shares.pages import share_class_page


class RestorationView(QuestionPageView):
    """Restore the choices that one change replaced. A GET, as after signing in again, only redirects to their page."""

    @cached_property
    def change(self) -> Change:
        change = self.draft.application.changes.filter(pk=self.kwargs["number"]).first()
        if change is None or not services.restorable_choices(self.draft, change):
            raise party_not_found(self.draft, change.holder if change else "")
        return change

    def get(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return redirect(self.get_page().url)

    def save(self, page: QuestionPage, answers: dict[str, Any]) -> SaveResult:
        result = SaveResult()
        labels = services.restorable_choices(self.draft, self.change)
        if "version" in self.request.POST:
            others = {name: answer for name, answer in answers.items() if name not in labels}
            result = super().save(page, others)
        try:
            restored = services.restore_choices(self.draft, self.change, by=self.author)
        except services.Overtaken as refusal:
            singular = gettext("{names} has been answered again since, so it was not changed back.")
            plural = gettext("{names} have been answered again since, so they were not changed back.")
            messages.error(self.request, sentence_about(refusal.labels, singular, plural))
            return result
        singular = gettext("{names} has been changed back.")
        plural = gettext("{names} have been changed back.")
        messages.success(self.request, sentence_about(labels.values(), singular, plural))
        return replace(result, changes=(*result.changes, *restored.changes))

    def get_success_url(self, page: QuestionPage) -> str:
        return page.url


@method_decorator([require_http_methods(["GET", "HEAD", "POST"]), customer, restores_removed_party], name="dispatch")
class ChoiceRestorationView(RestorationView):
    def get_page(self) -> QuestionPage:
        holder = self.change.holder
        if section := self.draft.schema.section(holder):
            return section_page(self.draft, section)
        if party := self.draft.party(holder):
            return party_page(self.draft, party, own_email=self.request.user.email)
        share_class = get_share_class_or_404(self.draft, holder)
        return share_class_page(self.draft, get_share_section_or_404(self.draft), token=share_class.token)
