"""What the tests here share."""
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(Path(__file__).resolve().parent)]


def have(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


HAVE_PLOTS = have("matplotlib", "scipy")
needs_plots = unittest.skipUnless(HAVE_PLOTS, "no plots here: apt-get install python3-matplotlib python3-scipy")


def results_of(fake):
    """A Fake as the Results that its CSV gives."""
    from maskplots.results import read_results
    with tempfile.TemporaryDirectory() as folder:
        return read_results(fake.write(Path(folder) / "results.csv"))
