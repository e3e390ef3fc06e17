"""What an application's product costs, as its catalog said when the application was started."""

from formation_portal.applications.models import Application
from formation_portal.contract.catalog import Price


def price_of(application: Application) -> Price:
    """The kept price; one that the catalog did not name is not given."""
    return Price.model_validate(application.product.get("price") or {})
