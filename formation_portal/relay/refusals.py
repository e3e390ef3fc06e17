"""Why a decision of an agent was not taken."""

IN_USE = "Check the ID. Another record here already has it"


class NotDecided(Exception):
    """Nothing has changed; the message says what to do, `field` names the control that it belongs to."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class Overtaken(NotDecided):
    """The thing has moved since the agent read about it: somebody else decided, or the service answered."""

    def __init__(self) -> None:
        super().__init__(
            "This changed after you opened it, so your decision was not recorded. Check its current status"
        )
