"""What the tests here share."""
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(Path(__file__).resolve().parent)]

try:
    import matplotlib  # noqa: F401
    HAVE_PLOTS = True
except ModuleNotFoundError:
    HAVE_PLOTS = False

needs_plots = unittest.skipUnless(HAVE_PLOTS, "matplotlib is missing: apt-get install python3-matplotlib")


def results_of(fake):
    """A Fake as the Results that its CSV gives."""
    from maskplots.results import read_results
    with tempfile.TemporaryDirectory() as folder:
        return read_results(fake.write(Path(folder) / "results.csv"))
