"""scripts/split_csv.py: one data set into the files of two parties."""
import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support

HEADER = "customer,age,zip,income,target,debts"


class Split(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def split(self, header, *options):
        """What it printed; rows have cells such as age7."""
        rows = [[f"{name}{k}" for name in header.split(",")] for k in range(20)]
        (self.folder / "data.csv").write_text("\n".join([header, *map(",".join, rows)]) + "\n")
        done = subprocess.run([sys.executable, support.ROOT / "scripts" / "split_csv.py", self.folder / "data.csv", self.folder, *options],
                              capture_output=True, text=True)
        return (done.stdout or done.stderr).strip()

    def parties(self):
        for name in ("ap.csv", "pp.csv"):
            with open(self.folder / name, newline="") as file:
                yield list(csv.DictReader(file))

    def test_label_and_id_may_stand_anywhere_under_any_name(self):
        said = self.split(HEADER, "--label", "target", "--id", "customer", "--drop", "zip", "--ap-columns", "income,age")
        self.assertEqual(said, "age,income")
        ap, pp = self.parties()
        self.assertEqual((list(ap[0]), list(pp[0])), (["target", "customer", "age", "income"], ["customer", "debts"]))
        self.assertNotEqual([row["customer"] for row in ap], [row["customer"] for row in pp])  # orders of their own
        for rows in (ap, pp):
            self.assertEqual({row["customer"] for row in rows}, {f"customer{k}" for k in range(20)})
            for row in rows:
                self.assertEqual(len({cell.lstrip("abcdefghijklmnopqrstuvwxyz") for cell in row.values()}), 1, row)

    def test_without_ids_rows_are_numbered(self):
        self.assertEqual(self.split("age,label,income"), "age")
        ap, pp = self.parties()
        self.assertEqual((list(ap[0]), list(pp[0])), (["label", "id", "age"], ["id", "income"]))
        self.assertEqual({row["id"] for row in pp}, {str(k) for k in range(1, 21)})
        self.assertTrue(all(row["age"] == f"age{int(row['id']) - 1}" for row in ap))

    def test_a_column_id_is_the_id(self):
        self.split("id,age,label,income")
        ap, pp = self.parties()
        self.assertEqual((list(ap[0]), list(pp[0])), (["label", "id", "age"], ["id", "income"]))
        self.assertEqual({row["id"] for row in ap}, {f"id{k}" for k in range(20)})

    def test_what_is_missing_is_named(self):
        self.assertIn(f"no column 'label'; there are {', '.join(HEADER.split(','))}", self.split(HEADER))
        self.assertIn("no column 'zipp'", self.split(HEADER, "--label", "target", "--drop", "zipp"))
        self.assertIn("'zip' is no feature", self.split(HEADER, "--label", "target", "--drop", "zip", "--ap-columns", "zip"))


if __name__ == "__main__":
    unittest.main()
