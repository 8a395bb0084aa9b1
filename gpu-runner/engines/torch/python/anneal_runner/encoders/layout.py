"""The layout of an encoder's heads: labels, structures with their fields, and relations."""

from dataclasses import dataclass, field
from typing import Any

Tag = tuple[str, ...]
"""A kind of span: `("entity", label)`, `("field", structure, field)`, `("head", relation)` or `("tail", relation)`."""


@dataclass(frozen=True)
class Layout:
    """The names that each head knows; None for an untrained head."""

    entities: list[str] | None = None
    classes: list[str] | None = None
    multi_label: bool = False
    structures: dict[str, dict[str, bool]] | None = None
    """The fields of each structure, and whether a row has a list there."""
    relations: list[str] | None = None
    tags: list[Tag] = field(init=False)

    def __post_init__(self) -> None:
        tags = [("entity", label) for label in self.entities or []]
        tags += [("field", name, part) for name, fields in (self.structures or {}).items() for part in fields]  # type: ignore[misc]
        tags += [(end, name) for end in ("head", "tail") for name in self.relations or []]
        object.__setattr__(self, "tags", tags)

    def abilities(self) -> dict[str, Any]:
        """Returns the `abilities` of `loaded`."""
        shown: dict[str, Any] = {"entityLabels": self.entities, "classLabels": self.classes, "multiLabel": self.multi_label}
        if self.structures is not None:
            shown["structures"] = [
                {
                    "name": name,
                    "fields": [{"name": part, "dtype": "list" if is_list else "str"} for part, is_list in fields.items()],
                }
                for name, fields in self.structures.items()
            ]
        if self.relations is not None:
            shown["relations"] = self.relations
        return shown

    def stored(self) -> dict[str, Any]:
        """Returns the layout as JSON; `Layout(**stored)` is the same."""
        return {
            "entities": self.entities,
            "classes": self.classes,
            "multi_label": self.multi_label,
            "structures": self.structures,
            "relations": self.relations,
        }
