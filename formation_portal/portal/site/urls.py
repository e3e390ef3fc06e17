from django.urls import path

from . import views

urlpatterns = [
    path("gallery/", views.gallery, name="gallery"),
    path("gallery/errors/", views.errors, name="gallery_errors"),
    path("gallery/errors/<str:name>/", views.error, name="gallery_error"),
    path("gallery/letters/", views.gallery_letters, name="gallery_letters"),
    path("gallery/letters/<str:kind>/", views.gallery_letter, name="gallery_letter"),
    path("unsent/", views.unsent, name="unsent"),
    path("display/", views.display, name="display"),
    # The URL that pages drawn by an older version post to.
    path("language/", views.display, name="language"),
    path("privacy/", views.text, {"name": "privacy"}, name="privacy"),
    path("terms/", views.text, {"name": "terms"}, name="terms"),
    path("accessibility/", views.text, {"name": "accessibility"}, name="accessibility"),
    path("help/", views.help, name="help"),
    path("help/<str:code>/", views.help, name="help_place"),
    path("session/", views.session, name="session"),
    path("session/extension/", views.session_extension, name="session_extension"),
    path(".well-known/change-password", views.change_password, name="change_password"),
    path("operator/<str:name>.css", views.operator_accent, name="operator_accent"),
    path("operator/<str:name>", views.operator_logo, name="operator_logo"),
    path("webhooks/formation-service/", views.service_events, name="service_events"),
    path("letters/", views.letters, name="letters"),
    path("letters/<uuid:number>/", views.letter, name="letter"),
    path("letters/<uuid:number>/body/", views.letter_body, name="letter_body"),
    path("letters/refusal/<str:token>/", views.letter_refusal, name="letter_refusal"),
]
