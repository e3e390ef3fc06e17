"""Show, add, change and remove shared texts, for agents who may send queries to customers."""

from django.contrib import messages
from django.db.models import F
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from formation_portal.accounts.models import Right
from formation_portal.accounts.policies import UserRequest, agent_with

from ..models import SharedText
from .forms import SharedTextForm

_METHODS = ["GET", "HEAD", "POST"]


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def texts(request: UserRequest) -> HttpResponse:
    form = SharedTextForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        form.store(by=request.user)
        messages.success(request, "Text added. All agents can use it.")
        return redirect("desk:texts")
    context = {"form": form, "texts": SharedText.objects.filter(removed_at=None).select_related("by")}
    return render(request, "desk/texts/texts.html", context, status=422 if form.is_bound else 200)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def text(request: UserRequest, number: int) -> HttpResponse:
    """Change a text. If others have changed the stored text meanwhile, keep the typed text."""
    row = get_object_or_404(SharedText.objects.select_related("by"), pk=number)
    if request.method != "POST":
        if row.removed_at:
            raise Http404
        form = SharedTextForm(initial={"title": row.title, "text": row.text, "version": row.version})
        return render(request, "desk/texts/text.html", {"form": form, "shared_text": row})
    form = SharedTextForm(request.POST, number=number)
    status = 422
    if form.is_valid():
        if form.store(by=request.user):
            messages.success(request, "Text saved.")
            return redirect("desk:texts")
        row.refresh_from_db()
        # Saving again replaces the text that is shown now.
        form = SharedTextForm(request.POST.dict() | {"version": str(row.version)}, number=number)
        status = 409
    context = {"form": form, "shared_text": row, "is_late": status == 409}
    return render(request, "desk/texts/text.html", context, status=status)


@require_http_methods(_METHODS)
@agent_with(Right.REVIEW)
def removal(request: UserRequest, number: int) -> HttpResponse:
    if request.method == "POST":
        present = SharedText.objects.filter(pk=number, removed_at=None)
        now = timezone.now()
        is_done = present.update(removed_at=now, at=now, by=request.user, version=F("version") + 1)
        messages.info(request, "Text removed." if is_done else "This text was already removed.")
    return redirect("desk:texts")
