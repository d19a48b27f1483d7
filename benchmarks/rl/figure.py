"""One quantity, measured on several subjects several times."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.result import Spread


@dataclass(frozen=True)
class Figure:
    """A quantity of some subjects (tasks, scenes, programs).

    `values` (passes, subjects) are in `unit`; each pass repeats the measurement. `section` is its table.
    """

    section: str
    name: str
    unit: str
    subjects: tuple[str, ...]
    values: npt.NDArray[np.float64]

    @property
    def over_subjects(self) -> Spread:
        """The median, the 10th and the 90th percentile of the subjects, each by the median of its passes."""
        return Spread(*(float(q) for q in np.percentile(np.median(self.values, axis=0), (50, 10, 90))))

    @property
    def over_passes(self) -> Spread:
        """The median subject of each pass: the passes' median, lowest and highest."""
        return Spread.of(np.median(self.values, axis=1))
