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
    """Return the secret in a file, made on the first call; "" with SECRETS_KEY, since the database has it then."""
    return "" if ENV.secrets_key else read_or_create_secret(DATA_DIR / name, new_secret)


# The keys of the secrets that nodes share in the database: the first key encrypts, all keys decrypt.
SECRETS_KEY = parse_keys(ENV.secrets_key)
# The keys of personal data: the first key encrypts, all keys decrypt. If empty, one is made (core/encryption.py).
FIELD_KEYS = parse_keys(ENV.field_keys)
# The first key signs. Signatures of the other keys stay valid while a key is being replaced. Empty until the start
# reads the key from the database (core/nodes/secret_store.py).
SECRET_KEY, *SECRET_KEY_FALLBACKS = ENV.secret_key.split() or [_file_secret(StoredSecret.SECRET_KEY)]
# The first key makes digests, all keys verify (audit/keyed_digests.py). If empty, the key is in the database.
AUDIT_KEY = ENV.audit_key.strip() or _file_secret(StoredSecret.AUDIT_KEY)
DEBUG = ENV.debug
# The time that a web server goes on serving after its signal to end, so that balancers notice.
DRAIN_SECONDS = ENV.drain_seconds
DEMO = ENV.demo
# The workbench, where agents try out schemas (desk/workbench).
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
    "formation_portal.core.middleware.FrameMemory",
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
    "formation_portal.accounts.time_zones.TimeZones",
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
# Counts sign-in attempts and e-mails for all processes together; with CACHE_URL also the embedded service's calls.
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
# A demo without a mail server confirms addresses later: until then, an account can only edit its own drafts
# (accounts/addresses.py). Otherwise signing up takes an e-mailed code, so that nobody learns who has an account.
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = not DEMO or bool(ENV.email_url)
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED else "optional"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 15 * 60
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_MAX_ATTEMPTS = 5
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
# An account has one address. A new address replaces it once confirmed. A change of the address or the password requires
# the current password, and is reported to the account's present address.
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
ACCOUNT_EMAIL_NOTIFICATIONS = True
# allauth's own token also expires when an address is added: a thief of the password could keep the owner out that way.
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "django.contrib.auth.tokens.PasswordResetTokenGenerator"  # noqa: S105  # a class
ACCOUNT_LOGOUT_REDIRECT_URL = "portal:catalog"
ACCOUNT_PREVENT_ENUMERATION = True
# Limits of confirmation e-mails to an address, of changes of an account's address, and of forms kept for one IP address
# after its sessions have ended. Guesses of secrets and e-mails to other people are counted for all processes
# together (accounts/guesses.py).
ACCOUNT_RATE_LIMITS = {
    **dict.fromkeys(("login", "login_failed", "reauthenticate", "change_password", "reset_password"), None),
    "confirm_email": "1/m/key,10/d/key",
    "manage_email": "10/m/user,50/d/user",
    "unsent": "30/h/ip",
}

# Second factors: an app, a passkey (which can also sign in alone) and recovery codes (accounts/second_factor.py).
AGENT_SECOND_FACTOR = {"yes": True, "no": False}.get(ENV.agent_second_factor, not DEMO)
MFA_ADAPTER = "formation_portal.accounts.second_factor.MFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = ENV.operator_name
# A code may be half a minute early or late. This is safe, since each code works only once.
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

# EMAIL_BACKEND and its settings. Only the sender of the outbox uses them.
globals().update(mail_settings(ENV.email_url))
EMAIL_TIMEOUT = 10
LETTERS_GO_OUT = bool(ENV.email_url)
LETTER_DAYS = ENV.letter_days

# The days that each kind of data is kept (privacy/retention.py); 0 keeps it for ever.
RETENTION_DRAFT_DAYS = ENV.retention_draft_days
RETENTION_COPY_DAYS = ENV.retention_copy_days
RETENTION_WITHDRAWN_DAYS = ENV.retention_withdrawn_days
RETENTION_DECLINED_DAYS = ENV.retention_declined_days
RETENTION_INCORPORATED_DAYS = ENV.retention_incorporated_days
SERVICE_RETENTION_DAYS = ENV.service_retention_days
RETENTION_ACCOUNT_DAYS = ENV.retention_account_days
MAIL_FROM = DEFAULT_FROM_EMAIL = ENV.mail_from or str(Address(ENV.operator_name, addr_spec="portal@localhost"))
# By default the URL that `make run` prints: a session at one name of this machine is not valid at another name.
PORTAL_URL = ENV.portal_url.rstrip("/") or local_origin(ENV.host, ENV.port)

# The operator, as shown on pages, in e-mails and in the PDF (core/operator.py).
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
# The language of the schema's texts. Pages in another language mark these texts with it.
CATALOG_LANGUAGE = ENV.catalog_language
# The zone of the desk, of e-mails and of all that is counted in days (core/time_zones.py).
TIME_ZONE = ENV.time_zone
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
STATIC_ROOT = Path(ENV.static_dir or DATA_DIR / "static").resolve()
STATICFILES_DIRS = [PROJECT / "static"]
# Keeps each file only under its hashed name, which halves the files to compress at the first start.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
# Pages of other sites can't load our files.
WHITENOISE_ALLOW_ALL_ORIGINS = False

STORAGES = storage_settings(ENV.storage_url) | {
    "staticfiles": {"BACKEND": "formation_portal.core.static_files.BundledStaticFilesStorage"},
}
# Uploads are served only by views that check the reader's rights, never directly by URL.
MEDIA_ROOT = DATA_DIR / "documents"
SERVICE_DOCUMENTS = DATA_DIR / "service-documents"
UPLOAD_LIMIT = 10_000_000
# Limits on the uploads of all applications of an account together (applications/services/upload_checks.py).
ACCOUNT_STORAGE_MB = ENV.account_storage_mb
ACCOUNT_FILES = ENV.account_files
UPLOADS_PER_HOUR = ENV.uploads_per_hour
# The malware scanner (documents/malware.py).
CLAMD_URL = ENV.clamd_url
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
FILE_UPLOAD_PERMISSIONS = 0o600
# On the same disk as the stored uploads, so that a file is moved and not copied. Holds no other temporary files.
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "arriving"
FILE_UPLOAD_TEMP_DIR.mkdir(mode=0o700, exist_ok=True)
FILE_UPLOAD_HANDLERS = [
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "formation_portal.core.storage.DiskFullUploadHandler",
]

# Over HTTPS, browsers accept `__Host-` cookies only from this host and for all its paths; the guests' has its own path.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENV.secure_cookies
SESSION_COOKIE_NAME = "__Host-sessionid" if ENV.secure_cookies else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if ENV.secure_cookies else "csrftoken"
GUEST_COOKIE_NAME = "__Secure-part" if ENV.secure_cookies else "part"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_ENGINE = "formation_portal.accounts.sessions"
# The time after which an unused session ends. Customers may choose to stay signed in for three weeks.
SESSION_COOKIE_AGE = ENV.session_minutes * 60
AGENT_SESSION_AGE = ENV.agent_session_minutes * 60
ACCOUNT_SESSION_COOKIE_AGE = 21 * 24 * 60 * 60
# The time after which any other session ends, even if it is used.
SESSION_LIFETIME = ENV.session_hours * 60 * 60
CSRF_FAILURE_VIEW = "formation_portal.core.error_handling.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
# For a year, browsers use only HTTPS for this host and its subdomains.
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if ENV.secure_cookies else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = ENV.secure_cookies
SECURE_HSTS_PRELOAD = ENV.hsts_preload
# Only a trusted proxy reports the scheme: without one, each redirect would lead to another redirect. Machines are not
# redirected, since they would send their keys again, and the service in this process is called without TLS.
SECURE_SSL_REDIRECT = ENV.secure_cookies and bool(TRUSTED_PROXIES)
SECURE_REDIRECT_EXEMPT = [r"^api/", r"^webhooks/"]
# SecurityHeaders sets this header, and only for pages: a style sheet opens no windows.
SECURE_CROSS_ORIGIN_OPENER_POLICY = None

FORMATION_SERVICE_URL = ENV.formation_service_url
FORMATION_SERVICE_KEY = ENV.formation_service_key
# Whether the service supports edits. None: the embedded service does; of another, the probe or its answers decide.
FORMATION_SERVICE_EDITS = {"yes": True, "no": False}.get(ENV.formation_service_edits)
# Secrets of events besides the one that the service sent when we subscribed; several while one replaces another.
WEBHOOK_SECRET = ENV.webhook_secret
WEBHOOK_SCHEME = ENV.webhook_scheme
RELAY_WAIT_MS = ENV.relay_wait_ms
RELAY_CALLS_PER_SECOND = ENV.relay_calls_per_second
# A factor of every wait of the relay. Test campaigns with their own service lower it.
RELAY_PACE = 1.0
# A folder of fonts for records as PDF, besides Typst's own fonts and the system's. Empty: no folder.
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
# After this time a request without an answer counts as dead and frees its Idempotency-Key, sooner if its process is
# known to have ended. A request that still runs then finds its row taken over and rolls back.
SERVICE_GIVEN_UP_SECONDS = 120

METRICS_TOKEN = ENV.metrics_token
METRICS_DIR = DATA_DIR / "metrics"
if METRICS_TOKEN:
    # The folder of each process's counts. prometheus-client reads the variable when it is imported, after this.
    METRICS_DIR.mkdir(mode=0o700, exist_ok=True)
    os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(METRICS_DIR))

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "class": "formation_portal.core.monitoring.logs.PlainFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        },
        "json": {"()": "formation_portal.core.monitoring.logs.JsonFormatter"},
    },
    "filters": {
        "in_a_line": {"()": "formation_portal.core.monitoring.logs.WithoutTraceback"},
        "without_request": {"()": "formation_portal.core.monitoring.logs.WithoutRequest"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": ENV.log_format, "filters": ["in_a_line"]}},
    "root": {"handlers": ["stderr"], "level": ENV.log_level},
    "loggers": {
        # Waitress warns here whenever all its threads are busy.
        "waitress.queue": {"level": "ERROR"},
        "waitress": {"filters": ["without_request"]},
        # At DEBUG these loggers write the contexts of templates and the parameters of SQL queries, and so all that
        # customers have typed. Django's default sets a level only for "django" as a whole.
        "django.template": {"level": "INFO"},
        "django.db.backends": {"level": "INFO"},
    },
}
