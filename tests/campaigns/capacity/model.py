"""What an application costs, and which part of a portal is full first when there are many: from what one has used."""

from dataclasses import dataclass, field

from .portal import Used

DAY_SECONDS = 8 * 3600
# The load that all others are multiples of: applications in a working day of eight hours.
APPLICATIONS_A_DAY = 300
TIMES = (1, 10, 100, 1000)


@dataclass(frozen=True)
class Prices:
    """What a unit costs where you are, in your currency. These are an example, and nobody's offer."""

    core_hour: float = 0.04
    database_gb_month: float = 0.12
    bucket_gb_month: float = 0.025
    thousand_puts: float = 0.005
    thousand_emails: float = 0.10
    # How long what was written is kept.
    months: float = 12


@dataclass(frozen=True)
class Machines:
    """What there is, and what one step takes on it. The last three depend on your disks and mail server."""

    web_cores: float = 2
    worker_cores: float = 1
    database_cores: float = 2
    calls_per_second: float = 10
    commit_seconds: float = 0.002
    log_mb_per_second: float = 100
    email_seconds: float = 0.2


@dataclass(frozen=True)
class Application:
    """What one uses from its first page to its approval; `sandbox` is the processor time of looking at its files, and
    `idle` what a portal uses in a second in which nobody does anything."""

    used: Used
    requests: float
    sandbox: float
    idle: Used = field(default_factory=Used)

    @property
    def processor(self) -> float:
        used = self.used
        return used.web + used.relay + used.mail + used.webhooks + used.database + self.sandbox


def cost_per_thousand(one: Application, prices: Prices) -> dict[str, float]:
    used, gigabytes = one.used, 1000 / 1e9
    return {
        "processor": 1000 * one.processor / 3600 * prices.core_hour,
        "database": gigabytes * used.database_bytes * prices.database_gb_month * prices.months,
        "bucket": gigabytes * used.file_bytes * prices.bucket_gb_month * prices.months
        + used.files * prices.thousand_puts,
        "emails": used.emails * prices.thousand_emails,
    }


def utilisation(one: Application, machines: Machines, times: float) -> dict[str, float]:
    """How full each part is at so many times the load: 1 is all that it can do. The fullest is the first bottleneck."""
    rate = times * APPLICATIONS_A_DAY / DAY_SECONDS
    used = one.used
    each = {
        "relay: RELAY_CALLS_PER_SECOND": used.calls / machines.calls_per_second,
        # A call is claimed, and its result recorded, under the lock of one row.
        "relay: the service's row": 2 * used.calls * machines.commit_seconds,
        "relay: processor of one worker": used.relay,
        "web: processor": (used.web + one.sandbox) / machines.web_cores,
        # Numbers have no gap: one entry is committed after the other.
        "database: the audit's chain": used.entries * machines.commit_seconds,
        "database: processor": used.database / machines.database_cores,
        "database: write-ahead log": used.log_bytes / 1e6 / machines.log_mb_per_second,
        "mail: one worker": used.emails * machines.email_seconds + used.mail,
        "events: one worker": used.webhooks,
    }
    return {name: rate * seconds for name, seconds in sorted(each.items(), key=lambda one: -one[1])}
