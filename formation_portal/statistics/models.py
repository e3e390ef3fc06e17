"""The totals, and for each submitted application with whom it stands and how long it has stood with each.

Every table holds few rows: one a day, or one a week and one a month for each thing that is counted. Spans are known by
their first day, in the settings' time zone.
"""

from django.db import models

from formation_portal.applications.models import Application

from .dimensions import Side, Span


class CaseClock(models.Model):
    """With whom a case stands, since when, and its whole seconds with each; None where it was never with them."""

    application = models.OneToOneField(Application, models.CASCADE, primary_key=True, related_name="+")
    # Empty once it is closed.
    side = models.CharField(max_length=16, choices=[(side.value, side.words) for side in Side], blank=True)
    since = models.DateTimeField(null=True)
    # The day that it is counted under while it is open, whatever time zone is set later.
    came_on = models.DateField(null=True)
    with_us = models.BigIntegerField(null=True)
    with_customer = models.BigIntegerField(null=True)
    with_registry = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"Clock of {self.pk}"


class CountingLock(models.Model):
    """One row, which whoever counts locks first (counting.py)."""

    class Meta:
        db_table = "figures_turn"

    def __str__(self) -> str:
        return "CountingLock"


class OpenDay(models.Model):
    """The open cases that came to us, to their customers or to the registry on that day, and are there still."""

    day = models.DateField(primary_key=True)
    with_us = models.IntegerField(default=0)
    with_customer = models.IntegerField(default=0)
    with_registry = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"Open since {self.day}"


class _Total(models.Model):
    """Something that is counted by week and by month."""

    span = models.CharField(max_length=8, choices=[(span.value, span.value) for span in Span])
    start = models.DateField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.span} of {self.start}"


class TransitionTotal(_Total):
    """How often applications came to each state."""

    submitted = models.IntegerField(default=0)
    returned = models.IntegerField(default=0)
    approved = models.IntegerField(default=0)
    declined = models.IntegerField(default=0)
    incorporated = models.IntegerField(default=0)
    withdrawn = models.IntegerField(default=0)

    class Meta:
        db_table = "figures_deedtotal"
        constraints = (models.UniqueConstraint(fields=("span", "start"), name="one_deed_total"),)


class DurationTotal(_Total):
    """How many of the cases that were closed had stood so long with each (dimensions.py)."""

    bucket = models.PositiveSmallIntegerField()
    with_us = models.IntegerField(default=0)
    with_customer = models.IntegerField(default=0)
    with_registry = models.IntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("span", "start", "bucket"), name="one_duration_total"),)


class Form(models.Model):
    """What a product is called, and where its entities are formed."""

    product_id = models.CharField(max_length=100, primary_key=True)
    name = models.TextField()
    place = models.TextField()

    def __str__(self) -> str:
        return self.name


class ClosingTotal(_Total):
    """The cases of a product that were closed: how many had stood with each, and for how many seconds together."""

    form = models.ForeignKey(Form, models.PROTECT, related_name="+")
    cases_with_us = models.IntegerField(default=0)
    cases_with_customer = models.IntegerField(default=0)
    cases_with_registry = models.IntegerField(default=0)
    seconds_with_us = models.BigIntegerField(default=0)
    seconds_with_customer = models.BigIntegerField(default=0)
    seconds_with_registry = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("span", "start", "form"), name="one_closing_total"),)


class ReasonTotal(_Total):
    """How many returns and remarks named a reason."""

    reason = models.CharField(max_length=40)
    returns = models.IntegerField(default=0)
    remarks = models.IntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("span", "start", "reason"), name="one_reason_total"),)


class Question(models.Model):
    """What of a form was remarked on, in the form's own words, never in a customer's.

    Its digest stands for the form, the kind and the name, which may be long.
    """

    digest = models.CharField(max_length=64, unique=True)
    form = models.ForeignKey(Form, models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16)
    words = models.TextField()

    def __str__(self) -> str:
        return self.words


class QuestionTotal(_Total):
    """How many returns a question caused, and how many remarks on it there were."""

    question = models.ForeignKey(Question, models.PROTECT, related_name="+")
    returns = models.IntegerField(default=0)
    remarks = models.IntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("span", "start", "question"), name="one_question_total"),)
