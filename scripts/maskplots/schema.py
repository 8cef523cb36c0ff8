"""What maskbench itself says of its results, kept in schema.json (see write_schema.py)."""
import json
from pathlib import Path

_kept = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
RUN_COLUMNS = _kept["columns"]["run"]  # of results.csv: the same in all rows of a run
POINT_COLUMNS = _kept["columns"]["point"]
DEFAULTS = _kept["defaults"]  # {key: text} of all keys of a config
