"""Which systems are at hand, in which interpreter, in which version, and if not, why not."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from research.compare.peer import LOADING, PeerFailed, hosted
from research.compare.systems import System


@dataclass(frozen=True)
class Installed:
    """A system in an interpreter."""

    system: System
    python: str
    versions: Mapping[str, str | None]  # of its packages; None: not installed
    trouble: str = ""  # of the interpreter

    @property
    def version(self) -> str:
        return next(iter(self.versions.values()), None) or ""

    @property
    def why_not(self) -> str:
        """Why it cannot be used, and what to do; "" if it can."""
        if self.trouble:
            return self.trouble
        missing = [package for package in self.system.packages if not self.versions.get(package)]
        if not missing:
            return ""
        names = " ".join(missing)
        return f"{names} not installed: pip install {names}, or --python {self.system.name}=PATH of one that has it"


def look(systems: Iterable[System], pythons: Mapping[str, str]) -> list[Installed]:
    """Each system in its interpreter: `pythons` by name of the system, else the present one. Nothing is imported."""
    chosen = [(system, pythons.get(system.name, sys.executable)) for system in systems]
    packages: dict[str, set[str]] = {}
    for system, python in chosen:
        packages.setdefault(python, set()).update(system.packages)
    asked = {python: _versions(python, sorted(names)) for python, names in packages.items()}
    return [Installed(system, python, _of(system, asked[python][0]), asked[python][1]) for system, python in chosen]


def _of(system: System, versions: Mapping[str, str | None]) -> dict[str, str | None]:
    return {package: versions.get(package) for package in system.packages}


def _versions(python: str, packages: list[str]) -> tuple[dict[str, str | None], str]:
    """The versions in an interpreter, or what is wrong with it."""
    try:
        with hosted(python) as peer:
            return peer.request("versions", LOADING, packages=packages), ""
    except PeerFailed as error:
        return {}, " ".join(str(error).split())
