# What each rule of rules.yaml finds: the line after its name. Nothing runs or imports this.
import logging
from http import client

# ruleid: way-out
import requests
from django.utils.html import format_html
from django.utils.safestring import mark_safe

# ruleid: guessable
from random import choice

logger = logging.getLogger(__name__)
# ruleid: left-debugging
DEBUG = True


def view(request, name):
    # ruleid: mark-safe
    mark_safe(name)
    # ruleid: formatted-html
    format_html(f"<b>{name}</b>")
    # ruleid: formatted-html
    format_html("<b>" + name)
    # ok: formatted-html
    format_html("<b>{}</b>", name)
    # ruleid: template-from-text
    Template(name).render()
    # ruleid: template-from-text
    engine.from_string(name)
    # ruleid: unscoped-application
    Application.objects.get(reference=name)
    # ok: unscoped-application
    Application.objects.visible_to(request.user).get(reference=name)
    # ruleid: open-redirect
    redirect(request.GET["next"])
    # ruleid: open-redirect
    redirect(request.POST.get("next"))
    # ruleid: logged-content
    logger.info("posted %s", request.POST)
    # ruleid: logged-content
    logger.info("posted %s", request.POST["name"])
    # ok: logged-content
    logger.info("posted %s bytes", len(name))
    # ruleid: open-cookie
    response.set_cookie("theme", name, secure=settings.SESSION_COOKIE_SECURE)
    # ok: open-cookie
    response.set_cookie("theme", name, secure=settings.SESSION_COOKIE_SECURE, httponly=True)


def query(cursor, name):
    # ruleid: raw-sql
    cursor.execute(f"SELECT {name}")
    # ruleid: raw-sql
    cursor.execute("SELECT " + name)
    # ruleid: raw-sql
    Party.objects.raw(name)
    # ok: raw-sql
    cursor.execute("SELECT %s", [name])


# ruleid: csrf-exempt
@csrf_exempt
def taken(request): ...


def run(text, given):
    # ruleid: code-from-text
    eval(text)
    # ruleid: unsafe-loading
    pickle.loads(text)
    # ruleid: unsafe-loading
    yaml.load(text)
    # ok: unsafe-loading
    yaml.load(text, Loader=SafeLoader)
    # ruleid: other-programs
    subprocess.run(text)
    # ruleid: other-programs
    os.execv(text, [])
    # ruleid: shell
    start(text, shell=True)
    # ruleid: unverified-certificate
    session.get(text, verify=False)
    # ruleid: redirects-followed
    session.get(text, allow_redirects=True)
    # ruleid: weak-hash
    hashlib.md5(text)
    # ruleid: timed-comparison
    hmac.new(key, text).hexdigest() == given
    # ruleid: timed-comparison
    signature == given
    # ruleid: temporary-name
    tempfile.mktemp()
