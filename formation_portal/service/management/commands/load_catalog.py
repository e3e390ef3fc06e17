"""`manage.py load_catalog`: load the catalog's data files into the embedded service."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from formation_portal.service.catalog.loader import read_catalog, store_catalog
from formation_portal.service.catalog.product_syntax import CatalogError


class Command(BaseCommand):
    help = "Load the embedded catalog into the service's database. Does nothing if it is already loaded."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            items = read_catalog()
            is_new = store_catalog(items)
        except CatalogError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{len(items)} products {'loaded' if is_new else 'unchanged'}")
