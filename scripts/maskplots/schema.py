"""What maskbench itself says of its results, kept in schema.json (see write_schema.py)."""
import json
from pathlib import Path

_kept = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
RUN_COLUMNS = _kept["columns"]["runs.csv"]
NUMBER_COLUMNS = _kept["columns"]["results.csv"]
DEFAULTS = _kept["defaults"]  # {key: text} of all keys of a config
KINDS = _kept["kinds"]  # {key: number, flag or text}
