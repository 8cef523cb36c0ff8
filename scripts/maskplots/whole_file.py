"""Files that appear whole or not at all. A link in their place is replaced, never followed: results may be a stranger's."""
import contextlib
import os
import tempfile
from pathlib import Path


@contextlib.contextmanager
def written(path):
    """Gives a file beside PATH to write to, and moves it to PATH."""
    path = Path(path)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    try:
        yield Path(scratch)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(scratch, 0o666 & ~mask)
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def write_text(path, text):
    with written(path) as scratch:
        scratch.write_text(text, encoding="utf-8")
