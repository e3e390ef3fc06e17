"""Django's settings. What an operator may change is in environment.py; the README lists it."""

import os
from email.headerregistry import Address
from pathlib import Path

from formation_portal.core.databases import SERVICE, database_settings
from formation_portal.core.networks import LOOPBACK, local_origin, parse_networks
from formation_portal.core.nodes.secret_store import StoredSecret, new_secret, parse_keys
from formation_portal.core.servers.server_urls import cache_settings, mail_settings
from formation_portal.core.storage import read_or_create_secret, storage_settings
from formation_portal.environment import PROJECT, read_environment

ENV = read_environment()
DATA_DIR = ENV.data_dir.resolve()


def _file_secret(name: StoredSecret) -> str:
    """Return a secret of a file, which is made once. With SECRETS_KEY secrets are in the database: return ""."""
    return "" if ENV.secrets_key else read_or_create_secret(DATA_DIR / name, new_secret)


# Encrypt the secrets that nodes share in the database: the first one encrypts, all of them read.
SECRETS_KEY = parse_keys(ENV.secrets_key)
# Encrypt personal data: the first one encrypts, all of them read. Empty: made once (core/encryption.py).
FIELD_KEYS = parse_keys(ENV.field_keys)
# The first one signs; what the others have signed is believed while one takes the place of another. Empty until
# the start reads it from the database (core/nodes/secret_store.py).
SECRET_KEY, *SECRET_KEY_FALLBACKS = ENV.secret_key.split() or [_file_secret(StoredSecret.SECRET_KEY)]
# The first one makes digests, all of them verify (audit/keyed_digests.py). Empty: the database has it.
AUDIT_KEY = ENV.audit_key.strip() or _file_secret(StoredSecret.AUDIT_KEY)
DEBUG = ENV.debug
# How long a web server goes on serving when it is to end, for balancers to notice.
DRAIN_SECONDS = ENV.drain_seconds
DEMO = ENV.demo
# Where agents try out schemas (desk/workbench).
WORKBENCH = {"yes": True, "no": False}.get(ENV.workbench, DEMO)
ALLOWED_HOSTS = [host.strip() for host in ENV.allowed_hosts.split(",") if host.strip()]
TRUSTED_PROXIES = parse_networks(ENV.trusted_proxies)
CSRF_TRUSTED_ORIGINS = [origin.strip() for origin in ENV.trusted_origins.split(",") if origin.strip()]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "formation_portal.apps.StaticFiles",
    "django.forms",
    "django_htmx",
    "heroicons",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "formation_portal.apps.UserSessions",
    "formation_portal.apps.FormationPortalConfig",
    "formation_portal.core.nodes",
    "formation_portal.mail",
    "formation_portal.audit",
    "formation_portal.accounts",
    "formation_portal.service",
    "formation_portal.gateway",
    "formation_portal.applications",
    "formation_portal.invitations",
    "formation_portal.applications.imports",
    "formation_portal.reviews",
    "formation_portal.relay",
    "formation_portal.statistics",
    "formation_portal.privacy",
    "formation_portal.ui",
    "formation_portal.portal",
    "formation_portal.desk",
]

MIDDLEWARE = [
    "formation_portal.core.frame_memory.FrameMemory",
    "formation_portal.core.networks.TrustedProxies",
    "formation_portal.core.middleware.Health",
    "formation_portal.management.metrics.Metrics",
    "formation_portal.core.middleware.RequestLog",
    "formation_portal.core.middleware.SecurityHeaders",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "formation_portal.core.pages.content_policy.ScriptNonces",
    "formation_portal.accounts.languages.Languages",
    "formation_portal.core.middleware.BodyLimits",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "formation_portal.accounts.sessions.SessionExpiry",
    "django.middleware.common.CommonMiddleware",
    "formation_portal.core.middleware.OwnSite",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "formation_portal.accounts.languages.ChosenDisplay",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "formation_portal.core.middleware.Htmx",
    "allauth.account.middleware.AccountMiddleware",
    "formation_portal.accounts.second_factor.SecondFactorPages",
    "formation_portal.core.middleware.ErrorPages",
]

ROOT_URLCONF = "formation_portal.urls"
WSGI_APPLICATION = "formation_portal.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [PROJECT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "formation_portal.ui.templatetags.languages",
                "formation_portal.ui.templatetags.components",
                "django.templatetags.i18n",
                "django.templatetags.static",
            ],
        },
    }
]

DATABASES = {
    "default": database_settings(ENV.database_url, default_path=DATA_DIR / "portal.sqlite3"),
    SERVICE: database_settings(ENV.service_database_url, default_path=DATA_DIR / "service.sqlite3"),
}
DATABASE_ROUTERS = ["formation_portal.core.databases.ServiceRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Counts attempts to sign in, and letters, for all processes together; with CACHE_URL the embedded service's calls, too.
CACHES = cache_settings(ENV.cache_url)

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "formation_portal.accounts.backends.RightsBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "portal:applications"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_FORMS = {
    "login": "formation_portal.accounts.forms.SignInForm",
    "signup": "formation_portal.accounts.forms.SignUpForm",
    "add_email": "formation_portal.accounts.forms.AddEmailForm",
    "change_password": "formation_portal.accounts.forms.ChangePasswordForm",
    "set_password": "formation_portal.accounts.forms.SetPasswordForm",
    "reset_password": "formation_portal.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "formation_portal.accounts.forms.ResetPasswordKeyForm",
    "reauthenticate": "formation_portal.accounts.forms.ConfirmPasswordForm",
    "confirm_email_verification_code": "formation_portal.accounts.forms.SignUpCodeForm",
}
ACCOUNT_ADAPTER = "formation_portal.accounts.adapter.AccountAdapter"
# A demo without a mail server confirms addresses later: until then an account has drafts of its own and nothing more
# (accounts/addresses.py). Elsewhere whoever signs up enters a code first, so that nobody learns who has an account.
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = not DEMO or bool(ENV.email_url)
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED else "optional"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_MAX_ATTEMPTS = 5
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
# An account has one address; another takes its place once it is confirmed. Both that and a new password ask for the
# password, and are told to the address that the account has.
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
ACCOUNT_EMAIL_NOTIFICATIONS = True
# allauth's own also dies when another address is added, so that whoever knows the password could keep the owner out.
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "django.contrib.auth.tokens.PasswordResetTokenGenerator"  # noqa: S105  # a class
ACCOUNT_LOGOUT_REDIRECT_URL = "portal:catalog"
ACCOUNT_PREVENT_ENUMERATION = True
# Letters that ask an address for a confirmation, changes of an account's own address, and forms that are kept of one
# address whose sessions have ended. What can be guessed, and letters to others, are counted elsewhere, for all
# processes at once (accounts/guesses.py).
ACCOUNT_RATE_LIMITS = {
    **dict.fromkeys(("login", "login_failed", "reauthenticate", "change_password", "reset_password"), None),
    "confirm_email": "1/m/key,10/d/key",
    "manage_email": "10/m/user,50/d/user",
    "unsent": "30/h/ip",
}

# Second factors: an app, a passkey, which also signs in by itself, and codes on paper (accounts/second_factor.py).
AGENT_SECOND_FACTOR = {"yes": True, "no": False}.get(ENV.agent_second_factor, not DEMO)
MFA_ADAPTER = "formation_portal.accounts.second_factor.MFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = ENV.operator_name
# A clock that is half a minute off does no harm: a code works once.
MFA_TOTP_TOLERANCE = 1
MFA_FORMS = {
    "authenticate": "formation_portal.accounts.second_factor.CodeForm",
    "authenticate_webauthn": "formation_portal.accounts.second_factor.PasskeyForm",
    "login_webauthn": "formation_portal.accounts.second_factor.PasskeySignInForm",
    "reauthenticate_webauthn": "formation_portal.accounts.second_factor.ConfirmPasskeyForm",
    "reauthenticate": "formation_portal.accounts.second_factor.ConfirmCodeForm",
    "activate_totp": "formation_portal.accounts.second_factor.AddAppForm",
    "add_webauthn": "formation_portal.accounts.second_factor.AddPasskeyForm",
    "edit_webauthn": "formation_portal.accounts.second_factor.RenamePasskeyForm",
}
# A passkey can't be guessed.
MFA_RATE_LIMITS = {"webauthn_login": None}

# EMAIL_BACKEND and what it needs. Only the outbox's carrier uses it.
globals().update(mail_settings(ENV.email_url))
EMAIL_TIMEOUT = 10
LETTERS_GO_OUT = bool(ENV.email_url)
LETTER_DAYS = ENV.letter_days

# How long what is kept (privacy/retention.py), in days; 0: without end.
RETENTION_DRAFT_DAYS = ENV.retention_draft_days
RETENTION_COPY_DAYS = ENV.retention_copy_days
RETENTION_WITHDRAWN_DAYS = ENV.retention_withdrawn_days
RETENTION_DECLINED_DAYS = ENV.retention_declined_days
RETENTION_INCORPORATED_DAYS = ENV.retention_incorporated_days
SERVICE_RETENTION_DAYS = ENV.service_retention_days
RETENTION_ACCOUNT_DAYS = ENV.retention_account_days
MAIL_FROM = DEFAULT_FROM_EMAIL = ENV.mail_from or str(Address(ENV.operator_name, addr_spec="portal@localhost"))
# As `make run` prints it: whoever has signed in at one name of this machine is a stranger at another.
PORTAL_URL = ENV.portal_url.rstrip("/") or local_origin(ENV.host, ENV.port)

# Whose portal it is, as pages, letters and the PDF say (core/operator.py).
OPERATOR_NAME = ENV.operator_name
OPERATOR_LOGO = str(Path(ENV.operator_logo).resolve()) if ENV.operator_logo else ""
OPERATOR_ACCENT = ENV.operator_accent
OPERATOR_TEXTS = ENV.operator_texts
HELP_EMAIL = ENV.help_email
HELP_TELEPHONE = ENV.help_telephone
HELP_HOURS = ENV.help_hours
HELP_REPLY_DAYS = ENV.help_reply_days

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("fr", "Français"), ("es", "Español")]
LANGUAGE_COOKIE_NAME = "language"
LOCALE_PATHS = [PROJECT / "formation_portal" / "locale"]
# What the schema says comes as it is, and is marked with this on pages in another language.
CATALOG_LANGUAGE = ENV.catalog_language
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
STATIC_ROOT = Path(ENV.static_dir or DATA_DIR / "static").resolve()
STATICFILES_DIRS = [PROJECT / "static"]
# Each file once, under its hashed name: half of them to pack at the first start.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
# Nobody else's pages take our files.
WHITENOISE_ALLOW_ALL_ORIGINS = False

STORAGES = storage_settings(ENV.storage_url) | {
    "staticfiles": {"BACKEND": "formation_portal.core.static_files.BundledStaticFilesStorage"},
}
# Uploads are served by views that check who asks, never by address.
MEDIA_ROOT = DATA_DIR / "documents"
SERVICE_DOCUMENTS = DATA_DIR / "service-documents"
UPLOAD_LIMIT = 10_000_000
# Of all applications of an account together (applications/services/upload_checks.py).
ACCOUNT_STORAGE_MB = ENV.account_storage_mb
ACCOUNT_FILES = ENV.account_files
UPLOADS_PER_HOUR = ENV.uploads_per_hour
# The malware scanner (documents/malware.py).
CLAMD_URL = ENV.clamd_url
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
FILE_UPLOAD_PERMISSIONS = 0o600
# On the disk that they stay on: what has arrived is moved there and not copied. Nobody else's temporary files.
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "arriving"
FILE_UPLOAD_TEMP_DIR.mkdir(mode=0o700, exist_ok=True)
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "formation_portal.core.storage.DiskFullUploadHandler",
]

# Over HTTPS a browser takes these names from this host alone, for all of it; the guests' cookie has a path of its own.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENV.secure_cookies
SESSION_COOKIE_NAME = "__Host-sessionid" if ENV.secure_cookies else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if ENV.secure_cookies else "csrftoken"
GUEST_COOKIE_NAME = "__Secure-part" if ENV.secure_cookies else "part"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_ENGINE = "formation_portal.accounts.sessions"
# Of a session that nobody uses; a customer who asks for it when signing in stays for some weeks.
SESSION_COOKIE_AGE = ENV.session_minutes * 60
AGENT_SESSION_AGE = ENV.agent_session_minutes * 60
ACCOUNT_SESSION_COOKIE_AGE = 21 * 24 * 60 * 60
# Of every other session, however much it is used.
SESSION_LIFETIME = ENV.session_hours * 60 * 60
CSRF_FAILURE_VIEW = "formation_portal.core.error_handling.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# For a year a browser asks for this host and those below it by HTTPS alone.
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if ENV.secure_cookies else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = ENV.secure_cookies
SECURE_HSTS_PRELOAD = ENV.hsts_preload
# Only a trusted proxy's word tells the scheme: without one, every request would be sent round in a circle. Machines are
# not redirected, since they would send their keys once more; the service in this process is asked without TLS.
SECURE_SSL_REDIRECT = ENV.secure_cookies and bool(TRUSTED_PROXIES)
SECURE_REDIRECT_EXEMPT = [r"^api/", r"^webhooks/"]
# SecurityHeaders says it, and of pages alone: a style sheet opens no windows.
SECURE_CROSS_ORIGIN_OPENER_POLICY = None

FORMATION_SERVICE_URL = ENV.formation_service_url
FORMATION_SERVICE_KEY = ENV.formation_service_key
# None: the embedded one can, another as far as the probe or its answers have shown.
FORMATION_SERVICE_EDITS = {"yes": True, "no": False}.get(ENV.formation_service_edits)
# Beside what the service told when we subscribed; several while one takes the place of another.
WEBHOOK_SECRET = ENV.webhook_secret
WEBHOOK_SCHEME = ENV.webhook_scheme
RELAY_WAIT_MS = ENV.relay_wait_ms
RELAY_CALLS_PER_SECOND = ENV.relay_calls_per_second
# Every wait of the relay times this. Campaigns against a service of their own make time pass faster.
RELAY_PACE = 1.0
# Records as PDF are set with Typst's own fonts, the system's, and those of this folder; empty for none.
PDF_FONTS = ENV.pdf_fonts
INVITATION_DAYS = ENV.invitation_days
OVERDUE_DAYS = ENV.overdue_days
CLAIM_HOURS = ENV.claim_hours
FOUR_EYES = ENV.four_eyes
# "queue" or "cases" (desk/case_access.py).
AGENTS_WITHOUT_RIGHTS = ENV.agents_without_rights
# Kinds of screening checks that each party needs before an approval.
REQUIRED_SCREENING = tuple(filter(None, ENV.required_screening.split(",")))
# The file of the audit's numbers and hashes; None: the table that all nodes share (audit/anchor.py).
AUDIT_ANCHOR: Path | None = Path(ENV.audit_anchor or DATA_DIR / "audit-anchor")
if not ENV.audit_anchor and DATABASES["default"]["ENGINE"].endswith("postgresql"):
    AUDIT_ANCHOR = None
SERVICE_RATE_LIMIT = ENV.rate_limit
SERVICE_RATE_FILE = DATA_DIR / "service-requests"
# The demonstration sends events to itself.
WEBHOOK_TARGETS = parse_networks(ENV.webhook_targets or (LOOPBACK if DEMO else ""))
# A request that has not answered for so long has died, and its Idempotency-Key is free again; at once where its process
# is known to have ended. No request runs this long; and should one, it finds its row taken and rolls back.
SERVICE_GIVEN_UP_SECONDS = 120

METRICS_TOKEN = ENV.metrics_token
METRICS_DIR = DATA_DIR / "metrics"
if METRICS_TOKEN:
    # Where each process keeps what it has counted; prometheus-client reads it when it is imported, later than this.
    METRICS_DIR.mkdir(mode=0o700, exist_ok=True)
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(METRICS_DIR))

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "formation_portal.core.monitoring.logs.JsonFormatter"},
    },
    "filters": {
        "in_a_line": {"()": "formation_portal.core.monitoring.logs.WithoutTraceback"},
        "without_request": {"()": "formation_portal.core.monitoring.logs.WithoutRequest"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": ENV.log_format, "filters": ["in_a_line"]}},
    "root": {"handlers": ["stderr"], "level": ENV.log_level},
    "loggers": {
        # Its word for a moment in which all threads are at work.
        "waitress.queue": {"level": "ERROR"},
        "waitress": {"filters": ["without_request"]},
        # Below these levels, which Django's own default only sets for all of it, it writes what a page was drawn from
        # and what a query was asked with: all that customers have typed.
        "django.template": {"level": "INFO"},
        "django.db.backends": {"level": "INFO"},
    },
}
