"""manage.py update_messages: brings the catalogs of translations up to date with the words of the portal."""

from typing import Any

from django.core.management.base import BaseCommand

from formation_portal.management.translations import gather_messages, translated_languages, untranslated, update_catalog


class Command(BaseCommand):
    help = "Gather every message, update each language's catalog and list what is not translated yet."

    def handle(self, *args: Any, **options: Any) -> None:
        found = gather_messages()
        for language in translated_languages():
            missing = untranslated(update_catalog(language, found))
            self.stdout.write(f"{language}: {len(found)} messages, {len(missing)} not translated")
            for message in missing:
                self.stdout.write(f"  {message}")
