"""The desk's addresses."""

from django.urls import path

from .views import (
    audit,
    checks,
    claims,
    deliveries,
    figures,
    live,
    notes,
    papers,
    parties,
    queue,
    remarks,
    review,
    rulings,
)

app_name = "desk"

urlpatterns = [
    path("", queue.queue, name="queue"),
    path("news/", queue.news, name="news"),
    path("claims/", claims.claims, name="claims"),
    path("releases/", claims.releases, name="releases"),
    path("next-case/", claims.next_case, name="next_case"),
    path("audit/", audit.audit, name="audit"),
    path("audit/entries.csv", audit.table, name="audit_table"),
    path("audit/<int:number>/", audit.entry, name="audit_entry"),
    path("deliveries/", deliveries.deliveries, name="deliveries"),
    path("deliveries/<int:number>/", deliveries.delivery, name="delivery"),
    path("deliveries/<int:number>/decision/", deliveries.decision, name="decision"),
    path("figures/", figures.figures, name="figures"),
    path("figures/<slug:name>.csv", figures.table, name="figures_table"),
    path("<str:reference>/", review.review, name="review"),
    path("<str:reference>/news/", live.case_news, name="case_news"),
    path("<str:reference>/claim/", claims.claim, name="claim"),
    path("<str:reference>/release/", claims.release, name="release"),
    path("<str:reference>/remarks/", remarks.remarks, name="remarks"),
    path("<str:reference>/remarks/<int:number>/removal/", remarks.removal, name="remark_removal"),
    path("<str:reference>/remarks/<int:number>/settlement/", remarks.settlement, name="settlement"),
    path("<str:reference>/notes/", notes.notes, name="notes"),
    path("<str:reference>/notes/<int:number>/removal/", notes.removal, name="note_removal"),
    path("<str:reference>/acceptances/", checks.acceptances, name="acceptances"),
    path("<str:reference>/reopenings/", checks.reopenings, name="reopenings"),
    path("<str:reference>/ruling/", rulings.ruling, name="ruling"),
    path("<str:reference>/ruling/confirmation/", rulings.confirmation, name="ruling_confirmation"),
    path("<str:reference>/ruling/refusal/", rulings.refusal, name="ruling_refusal"),
    path("<str:reference>/ruling/retraction/", rulings.retraction, name="ruling_retraction"),
    path("<str:reference>/parties/<str:token>/", parties.party, name="party"),
    path("<str:reference>/parties/<str:token>/numbers/", parties.numbers, name="numbers"),
    path("<str:reference>/record.json", review.record, name="record"),
    path("<str:reference>/record.pdf", review.record_pdf, name="record_pdf"),
    path("<str:reference>/documents/<int:number>/", review.document, name="document"),
    path("<str:reference>/documents/<int:number>/pages/<int:page>/", papers.document_page, name="document_page"),
    path(
        "<str:reference>/documents/<int:number>/pages/<int:page>/picture/",
        papers.document_picture,
        name="document_picture",
    ),
]
