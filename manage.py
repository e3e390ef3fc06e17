"""Django's command line."""

import errno
import gc
import os
import sys

# As a shell says of a process that Ctrl-C has ended.
INTERRUPTED = 130


def main() -> None:
    """Run the management command that the arguments name."""
    # What a start loads stays: to look it through for garbage as often as usual is a tenth of a start.
    gc.set_threshold(10_000)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "formation_portal.settings")
    import django
    from django.core.management import execute_from_command_line
    from django.db import Error, connections

    django.setup()
    from formation_portal.core.nodes.secret_store import load_secret_key

    load_secret_key()
    # A server limits the statements of the connections that are opened from then on.
    connections.close_all()
    try:
        execute_from_command_line(sys.argv)
    except Error:
        # Loads models, which stand only now.
        from formation_portal.management.commands.setup_portal import explain_unprepared

        # `migrate` tells the whole error: setup_portal refers to it.
        reason = "" if sys.argv[1:2] == ["migrate"] else explain_unprepared()
        if not reason:
            raise
        sys.exit(reason)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        sys.exit("The disk is full. Free some space, then try again.")
