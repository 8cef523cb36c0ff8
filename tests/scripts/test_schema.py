import os
import unittest

import support  # noqa: F401  sets the path
import write_schema
from maskplots import results, schema


needs_program = unittest.skipUnless(os.access(write_schema.PROGRAM, os.X_OK), f"{write_schema.PROGRAM} is not there: "
                                    "scripts/build.sh maskbench, or set MASKBENCH_BINARY")


class Schema(unittest.TestCase):
    @needs_program
    def test_is_what_maskbench_says(self):
        kept = {"columns": {"runs.csv": schema.RUN_COLUMNS, "results.csv": schema.NUMBER_COLUMNS},
                "defaults": schema.DEFAULTS, "kinds": schema.KINDS}
        self.assertEqual(kept, write_schema.schema(write_schema.PROGRAM),
                         "maskplots/schema.json is stale: scripts/write_schema.py")

    @needs_program
    def test_the_page_on_results_is_what_maskbench_says(self):
        page = write_schema.PAGE.read_text(encoding="utf-8")
        self.assertTrue(write_schema.page(write_schema.PROGRAM) == page, "docs/results.md is stale: scripts/write_schema.py")
        self.assertIn("| `message_bytes` |", page)

    def test_kinds_of_keys(self):
        for key, kind in {"train.rounds": "number", "train.gbdt": "flag", "paillier.key_bits": "number", "method": "text",
                          "privacy.eps_ap": "number", "data.label": "text", "train.base_score": "text"}.items():
            self.assertEqual(schema.KINDS[key], kind, key)

    def test_has_the_columns_that_are_read_by_name(self):
        self.assertLessEqual({*results.NUMBERS, *results.NAMES, *results.KEYS}, set(schema.RUN_COLUMNS))
        self.assertEqual({*results.Point._fields, *results.QUALIFIERS} - {"about"}, set(schema.NUMBER_COLUMNS))
        self.assertLessEqual(set(results.KEYS), set(schema.DEFAULTS))


if __name__ == "__main__":
    unittest.main()
