"""Makes accounts for those who will work on the portal, with confirmed addresses, and nothing else."""

from django.contrib.auth import get_user_model

from formation_portal.accounts import addresses

from .people import PASSWORD


def main(customers: str, agents: str = "0") -> None:
    people = get_user_model().objects
    for kind, count in (("customer", int(customers)), ("agent", int(agents))):
        for number in range(count):
            email, names = f"{kind}{number}@example.com", {"first_name": kind.title(), "last_name": f"No {number}"}
            if not people.filter(email=email).exists():
                addresses.confirm(people.create_user(email, PASSWORD, **names, is_agent=kind == "agent"))
