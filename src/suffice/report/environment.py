"""What made the page: versions and the kind of machine. No name of a host or a user, no path and no clock."""

import platform

import numpy as np
import scipy

import suffice
from suffice.page.html import facts


def environment() -> str:
    """The versions that the numbers of the page depend on; the same study gives the same page with the same of them."""
    import matplotlib

    pairs = [
        ("suffice", suffice.__version__),
        ("Python", f"{platform.python_version()} ({platform.python_implementation()})"),
        ("NumPy", np.__version__),
        ("SciPy", scipy.__version__),
        ("matplotlib", matplotlib.__version__),
        ("System", f"{platform.system()}, {platform.machine()}"),
    ]
    return facts(pairs)
