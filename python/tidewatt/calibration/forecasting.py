"""What draws of a GPU's values have in common: a site can be forecast with them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._load import Overrides, Path, Scenario

if TYPE_CHECKING:
    from .forecast import Forecast


class Forecasting:
    """Draws of a catalog GPU: they have a `name`, `catalog_values(n, seed)` and the keys that they leave `undetermined`."""

    def forecast(
        self,
        scenario: Scenario | Path,
        *,
        n: int = 40,
        others: bool = False,
        set: Overrides | None = None,
        outputs: list[str] | None = None,
        halls: list[str] | None = None,
        out: Path | None = None,
        workers: int = 0,
        seed: int = 1,
        progress: Any = None,
    ) -> Forecast:
        """Simulates a site with this GPU, one run per draw, and returns figures with bands.

        Parameters
        ----------
        scenario : Scenario or path
            The site. Its halls take the values of the draws; chips scatter around them as in the scenario.
        n : int, default 40
            Number of draws; a 90 % band needs at least 40.
        others : bool, default False
            Also draw all other assumed inputs of the scenario from their ranges (docs/sweeps.md).
        set : Overrides, optional
            Overrides of every run.
        outputs : list of str, optional
            Figures of the summary; None: all.
        halls : list of str, optional
            Halls that have this GPU; None: all.
        out : path, optional
            Folder of the runs; a call with the same folder continues. None: a temporary folder.
        workers : int, default 0
            Processes; 0: one per core.
        seed : int, default 1
            Seed of the choice of draws.
        progress : optional
            As for `tidewatt.run`.

        Raises
        ------
        InputError
            With every finding.
        """
        from .forecast import _forecast

        return _forecast(self, scenario, n, others, set, outputs, halls, out, workers, seed, progress)
