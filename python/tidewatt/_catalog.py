"""The catalog: data files of hardware, plants, climates, models, grids and rules, with their sources."""
from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING

from . import _core
from ._given import unknown
from ._load import Path
from ._write import anew

if TYPE_CHECKING:
    import pandas


class Catalog:
    """The data files that come with tidewatt, and those of your own folder, which add to or replace them.

    Parameters
    ----------
    folder : path, optional
        TOML files that add to or replace the built-in ones.

    Raises
    ------
    InputError
        A file is not a valid entry.

    Examples
    --------
    >>> catalog = tw.Catalog()
    >>> catalog.names("gpu")
    >>> print(catalog.text("h100_sxm_700W"))  # every value with its source; assumed ones have a range
    >>> catalog.export("h100_sxm_700W", "mine/gpu/my_gpu.toml")
    """

    def __init__(self, folder: Path | None = None):
        self._core = _core.Catalog(os.fspath(folder) if folder else "")

    @property
    def kinds(self) -> list[str]:
        """Kinds of entries: `climate`, `gpu`, `grid`, `model`, …"""
        return sorted({kind for kind, _ in self._core.list()})

    def names(self, kind: str) -> list[str]:
        """Names of the entries of a kind.

        Raises
        ------
        KeyError
            Unknown kind.
        """
        if kind not in self.kinds:
            raise KeyError(unknown("kind", kind, self.kinds))
        return [name for k, name in self._core.list() if k == kind]

    @property
    def frame(self) -> pandas.DataFrame:
        """All entries: columns `kind` and `name`, shape (n_entry, 2)."""
        import pandas

        return pandas.DataFrame(self._core.list(), columns=["kind", "name"])

    def text(self, name: str) -> str:
        """An entry's file, as `tidewatt catalog show` prints it.

        Parameters
        ----------
        name : str
            NAME, or KIND/NAME if entries of two kinds have this name.

        Raises
        ------
        InputError
            Unknown entry; the message names the nearest.
        """
        kind, _, rest = name.rpartition("/")
        kinds = [k for k, n in self._core.list() if n == rest and kind in ("", k)]
        if kinds:
            return "".join(self._core.text(k, rest) for k in kinds)
        raise _core.InputError(unknown("catalog entry", name, [n for _, n in self._core.list()]))

    def rack(self, name: str) -> dict:
        """A rack's contents and the sum of its parts, with its range over assumed inputs.

        Parameters
        ----------
        name : str
            An entry of kind `rack`.

        Returns
        -------
        dict
            `gpu`, `server`, `network` (entries), `n_cabinet`, `n_gpu`, `vendor_W` (lowest and highest rack power that vendors
            publish), and the parts in watts at rated load, `input_W` being their sum at the rack's input: `nominal`, and `low`
            and `high` with every assumed part at the low or high end of its range.

        Raises
        ------
        InputError
            Unknown or incomplete rack.
        """
        return self._core.rack(name)

    def supply_chain(self, name: str, load_W: float, design_W: float | None = None) -> dict:
        """Losses of a supply chain from the 34.5 kV connection to the trays' 50 V inputs, stage by stage.

        Parameters
        ----------
        name : str
            An entry of kind `supply_chain`.
        load_W : float
            Power at the trays' inputs, W, 0 or more.
        design_W : float, optional
            Power for which the stages' units are counted, W; default: the load.

        Returns
        -------
        dict
            `load_W`, `connection_W`, `loss_W`, `efficiency_frac`, `closure` ((connection − load − losses) ÷ connection) and `stages`,
            connection first: `name`, `n_unit`, `loading_frac`, `loss_W`, `input_W`, `output_W`,
            `holdup_s`.

        Raises
        ------
        InputError
            Unknown entry, a negative load, or a load above the units' rating.
        """
        return self._core.supply_chain(name, load_W, load_W if design_W is None else design_W)

    def misfits(self, *, gpu: str = "", server: str = "", rack: str = "", network: str = "", plant: str = "",
                feeder: str = "") -> list[tuple[str, str]]:  # fmt: skip
        """Entries that do not fit together, with figures and the nearest entry that fits; empty if all fit.

        Parameters
        ----------
        gpu, server, rack, network, plant, feeder : str, optional
            Entries of these kinds; a rack brings its GPU, server and network.

        Returns
        -------
        list of (str, str)
            The parameter that does not fit, and why.

        Raises
        ------
        InputError
            Unknown entry.
        """
        return self._core.misfits(gpu, server, rack, network, plant, feeder)

    def export(self, name: str, path: Path) -> None:
        """Copies an entry into a file. Change it, then use it with `catalog=` of `tidewatt.load`.

        Parameters
        ----------
        name : str
            As for `text`.
        path : Path
            The file; its folder is made if needed.

        Raises
        ------
        FileExistsError
            The file exists.
        OutputError
            The file cannot be written.
        """
        text = self.text(name)
        os.makedirs(os.path.dirname(os.fspath(path)) or ".", exist_ok=True)
        anew(path, text)

    def __repr__(self) -> str:
        return "\n".join(["<tidewatt.Catalog>", *(f"  {kind:<15} {', '.join(self.names(kind))}" for kind in self.kinds)])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(', '.join(self.names(k)))}</td></tr>" for k in self.kinds)
        return f"<table><caption>tidewatt.Catalog</caption>{rows}</table>"
