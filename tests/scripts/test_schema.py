import dataclasses
import os
import unittest

import support  # noqa: F401  sets the path
import write_schema
from maskplots import results, schema


class Schema(unittest.TestCase):
    def test_is_what_maskbench_says(self):
        if not os.access(write_schema.PROGRAM, os.X_OK):
            self.skipTest(f"{write_schema.PROGRAM} is not there: scripts/build.sh maskbench, or set MASKBENCH_BINARY")
        kept = {"columns": {"run": schema.RUN_COLUMNS, "point": schema.POINT_COLUMNS}, "defaults": schema.DEFAULTS}
        self.assertEqual(kept, write_schema.schema(write_schema.PROGRAM),
                         "maskplots/schema.json is stale: scripts/write_schema.py")

    def test_has_the_columns_that_are_read_by_name(self):
        self.assertLessEqual({*results.NUMBERS, "params", "attack"}, set(schema.RUN_COLUMNS))
        self.assertLessEqual({field.name for field in dataclasses.fields(results.Point)} - {"run"}, set(schema.POINT_COLUMNS))


if __name__ == "__main__":
    unittest.main()
