"""Makes accounts for those who will work on the cluster, with confirmed addresses. Run with the cluster's settings."""

import argparse


def main() -> None:
    """So many customers and agents, and nothing else."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.scale.preparing", description=main.__doc__)
    parser.add_argument("--customers", type=int, default=0)
    parser.add_argument("--agents", type=int, default=0)
    wanted = parser.parse_args()

    import django

    django.setup()
    from django.contrib.auth import get_user_model

    from formation_portal.accounts import addresses

    from .load.people import PASSWORD

    people = get_user_model().objects
    for kind in ("customer", "agent"):
        for number in range(getattr(wanted, f"{kind}s")):
            email = f"{kind}{number}@example.com"
            if not people.filter(email=email).exists():
                addresses.confirm(
                    people.create_user(
                        email, PASSWORD, first_name=kind.title(), last_name=f"No {number}", is_agent=kind == "agent"
                    )
                )


if __name__ == "__main__":
    main()
