import os
import unittest

import support  # noqa: F401  sets the path
import write_schema
from maskplots import results, schema


class Schema(unittest.TestCase):
    def test_is_what_maskbench_says(self):
        if not os.access(write_schema.PROGRAM, os.X_OK):
            self.skipTest(f"{write_schema.PROGRAM} is not there: scripts/build.sh maskbench, or set MASKBENCH_BINARY")
        kept = {"columns": {"runs.csv": schema.RUN_COLUMNS, "results.csv": schema.NUMBER_COLUMNS},
                "defaults": schema.DEFAULTS, "kinds": schema.KINDS}
        self.assertEqual(kept, write_schema.schema(write_schema.PROGRAM),
                         "maskplots/schema.json is stale: scripts/write_schema.py")

    def test_has_the_columns_that_are_read_by_name(self):
        self.assertLessEqual({*results.NUMBERS, *results.NAMES, *results.KEYS}, set(schema.RUN_COLUMNS))
        self.assertEqual(set(results.Point._fields), set(schema.NUMBER_COLUMNS))
        self.assertLessEqual(set(results.KEYS), set(schema.DEFAULTS))


if __name__ == "__main__":
    unittest.main()
