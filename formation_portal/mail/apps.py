"""The mail app: the outbox and its worker. Its label stays `letters`, as its tables are named."""

from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "formation_portal.mail"
    label = "letters"
