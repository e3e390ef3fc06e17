"""The customers' addresses. Nouns; a deed is a noun of its own."""

from django.urls import include, path

from .views import applications, catalog, check, overview, products, status, submission, unsent

app_name = "portal"

application = [
    path("", overview.overview, name="overview"),
    path("check/", check.check, name="check"),
    path("submission/", submission.submission, name="submission"),
    path("status/", status.status, name="status"),
    path("withdrawal/", status.withdrawal, name="withdrawal"),
    path("removal/", applications.removal, name="removal"),
]

urlpatterns = [
    path("", catalog.catalog, name="catalog"),
    path("products/<str:key>/", products.product, name="product"),
    path("applications/", applications.applications, name="applications"),
    path("applications/<str:reference>/", include(application)),
    path("unsent/", unsent.unsent, name="unsent"),
]
