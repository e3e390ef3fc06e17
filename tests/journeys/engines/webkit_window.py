"""A bare window of WebKitGTK that WebDriver controls: as narrow as a test wants it, and with its console in a file.

    webkit_window.py FOLDER     keeps what pages store, and the file `console`, in the folder

Run by the system's Python, which has the bindings of GTK.
"""

import os
import sys
from pathlib import Path
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

# Named by the test, too: the driver asks for it.
NAME = "webkit-window"


def open_view(session: Any, context: Any) -> Any:
    settings = WebKit2.Settings(enable_write_console_messages_to_stdout=True)
    view = WebKit2.WebView(web_context=context, settings=settings, is_controlled_by_automation=True)
    window = Gtk.Window(default_width=1280, default_height=900)
    window.add(view)
    # No window manager gives it the keyboard.
    window.connect("map-event", lambda window, _: window.get_window().focus(0))
    window.show_all()
    return view


def start_session(context: Any, session: Any) -> None:
    info = WebKit2.ApplicationInfo()
    info.set_name(NAME)
    session.set_application_info(info)
    session.connect("create-web-view", open_view, context)


def main(folder: Path) -> None:
    """Run until the driver ends the process."""
    console = (folder / "console").open("w")
    os.dup2(console.fileno(), sys.stdout.fileno())
    os.dup2(console.fileno(), sys.stderr.fileno())
    # A session that keeps nothing has no console.
    data = WebKit2.WebsiteDataManager(base_data_directory=str(folder), base_cache_directory=str(folder))
    context = WebKit2.WebContext(website_data_manager=data)
    context.set_automation_allowed(True)
    context.connect("automation-started", start_session)
    Gtk.main()


main(Path(sys.argv[1]))
