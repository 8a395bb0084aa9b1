"""Training rows that explain the answers of a call."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import RunnerError
from ..fields import Fields
from .kept_rows import KeptRows
from .names import Warning


@dataclass(frozen=True)
class Explanation:
    """The question for the rows that explain the answers of a call."""

    datasets: frozenset[int]
    heads: frozenset[str]
    rows: KeptRows

    def nearest(self, vector: torch.Tensor) -> list[dict[str, Any]]:
        """Returns the rows that are nearest to a text, as `NearRow` of the runner."""
        return self.rows.nearest(vector, self.datasets, self.heads)


def explanation_of(
    explain: dict[str, Any], heads: Collection[str], rows: KeptRows | None, warnings: list[Warning]
) -> Explanation | None:
    """
    Returns the question of an `infer` message, or None and one more warning where no row can be named.

    `heads` are those that answer by what they learned. Raises RunnerError (bad_request).
    """
    fields = Fields(explain, "`explain`")
    datasets = fields.take("datasets", list)
    fields.done()
    if not all(isinstance(dataset, int) for dataset in datasets):
        raise RunnerError("bad_request", "`datasets` of `explain` must be numbers", "explain")
    if not heads:
        reason = "Only answers by labels that the model was trained on are explained, and this one has none."
    elif rows is None:
        reason = "The model keeps no vectors of its training rows that can be read. Train it again to have its answers explained."
    elif not rows.has(heads):
        reason = (
            "The rows of this model's own job are not labelled for such an answer. "
            "Train it again on rows that are to have it explained."
        )
    else:
        return Explanation(frozenset(datasets), frozenset(heads), rows)
    warnings.append({"code": "explanation_unavailable", "message": reason})
    return None
