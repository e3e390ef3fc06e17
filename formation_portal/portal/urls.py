"""The customers' addresses. Nouns; a deed is a noun of its own."""

from django.urls import include, path

from .views import (
    applications,
    carrying,
    catalog,
    check,
    compare,
    copies,
    documents,
    doubles,
    form_changes,
    known_people,
    overview,
    parties,
    people,
    products,
    record,
    removals,
    restorations,
    sections,
    share_classes,
    shares,
    status,
    submission,
    unsent,
)

app_name = "portal"

application = [
    path("", overview.overview, name="overview"),
    path("sections/<str:key>/", sections.section, name="section"),
    path("people/", people.people, name="people"),
    path("people/new/", parties.party_new, name="party_new"),
    path("people/known/", known_people.party_known, name="party_known"),
    path("people/<str:token>/", parties.party, name="party"),
    path("people/<str:token>/roles/", people.party_roles, name="party_roles"),
    path("people/<str:token>/double/", doubles.party_double, name="party_double"),
    path("people/<str:token>/removal/", removals.party_removal, name="party_removal"),
    path("shares/", shares.shares, name="shares"),
    path("people/<str:token>/restoration/", people.party_restoration, name="party_restoration"),
    path("shares/classes/new/", share_classes.share_class_new, name="share_class_new"),
    path("shares/classes/<str:token>/", share_classes.share_class, name="share_class"),
    path("shares/classes/<str:token>/removal/", removals.share_class_removal, name="share_class_removal"),
    path("shares/holdings/<str:party>/<str:share_class>/removal/", removals.holding_removal, name="holding_removal"),
    path("shares/owners/<str:token>/", shares.owner, name="share_owner"),
    path("documents/", documents.documents, name="documents"),
    path("documents/<int:number>/", documents.document, name="document"),
    path("documents/<int:number>/removal/", removals.document_removal, name="document_removal"),
    path("changes/<int:number>/restoration/", restorations.choice_restoration, name="choice_restoration"),
    path("check/", check.check, name="check"),
    path("submission/", submission.submission, name="submission"),
    path("status/", status.status, name="status"),
    path("withdrawal/", status.withdrawal, name="withdrawal"),
    path("copy/", copies.copy, name="copy"),
    path("carry-over/", carrying.carry_over, name="carry_over"),
    path("new-form/", form_changes.new_form, name="new_form"),
    path("record.json", record.record, name="record"),
    path("removal/", applications.removal, name="removal"),
]

urlpatterns = [
    path("", catalog.catalog, name="catalog"),
    path("compare/", compare.compare, name="compare"),
    path("products/<str:key>/", products.product, name="product"),
    path("products/<str:key>/checklist/", products.checklist, name="checklist"),
    path("applications/", applications.applications, name="applications"),
    path("applications/<str:reference>/", include(application)),
    path("unsent/", unsent.unsent, name="unsent"),
]
