import unittest

import support  # noqa: F401  sets the path
from maskplots import page, tables

COLUMNS = ["method", "AUC", "bytes", "over budgets", "eps", "where"]
ROWS = [["7", "0.8712 ± 0.0031", "16 KB (+2 %)", ".812 .843 -", "none", "3 of 5 rows of PP"],
        ["masked", "1e-05", "-", ".9 .91 .92", "5.6", "-"]]


class Sides(unittest.TestCase):
    def test_numbers_stand_right_text_and_the_name_of_the_row_left(self):
        self.assertEqual("".join(tables.sides(COLUMNS, ROWS)), "lrrrrl")
        self.assertEqual(tables.markdown(COLUMNS, ROWS).splitlines()[1], "|---|---:|---:|---:|---:|---|")
        self.assertIn("\\begin{tabular}{lrrrrl}", tables.latex("t", COLUMNS, ROWS))
        self.assertEqual(page.table(COLUMNS, ROWS).count("class=n"), 4 * 3)

    def test_a_column_without_a_digit_is_text(self):
        for cells in (["none", "-"], ["", ""], ["Infinity"], ["v1"], ["2 of 3"], []):
            self.assertEqual(tables.sides(["a", "b"], [["", cell] for cell in cells]), ["l", "l"], cells)
        self.assertIn("<table", page.table(["a", "b"], []))

    def test_a_bar_in_a_cell_does_not_end_it(self):
        self.assertIn("| a\\|b |", tables.markdown(["x"], [["a|b"]]))


if __name__ == "__main__":
    unittest.main()
