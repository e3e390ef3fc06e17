"""A question of our reviewer's as portal/_note.html draws it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Note:
    """`use` is the answer that is proposed, in words; empty where none is, or where it stands there already."""

    number: int
    title: str
    text: str
    when: str
    reply: str
    is_changed: bool
    use: str = ""
    can_be_answered: bool = True

    @property
    def own_id(self) -> str:
        """The id of its words where no control is described by it."""
        return f"asked-{self.number}"

    @property
    def is_answered(self) -> bool:
        """Whether something was done about it since it came back, or said to it."""
        return self.is_changed or bool(self.reply)
