#!/usr/bin/env python3
"""The memory of two processes is bounded by masked.memory_limit and a constant, however much they send.

memory_test.py MASKBENCH
"""
import random
import unittest

from place import Place, rows, skip_without_grpc

LIMIT = 1 << 20
CONSTANT = 16 << 20  # what gRPC buffers, what waits on the line, and the allocator's slack
FEATURES = 12


def write_files(place, count):
    """As split_csv.py does, of other sizes: half of the features for each party."""
    draw = random.Random(1)
    table = [[draw.gauss(0, 1) for _ in range(FEATURES)] for _ in range(count)]
    names = [f"f{k}" for k in range(FEATURES)]
    files = {"ap": ["label,id," + ",".join(names[:6])], "pp": ["id," + ",".join(names[6:])]}
    for k, x in enumerate(table):
        cells = [f"{v:.3f}" for v in x]
        files["ap"].append(f"{int(sum(x) + draw.gauss(0, 1) > 0)},{k}," + ",".join(cells[:6]))
        files["pp"].append(f"{k}," + ",".join(cells[6:]))
    for role, lines in files.items():
        (place.dir / f"{role}.csv").write_text("\n".join(lines) + "\n")
    return "[" + ",".join(names[:6]) + "]"


class MemoryTest(unittest.TestCase):
    def peaks(self, place, method, columns):
        """Bytes at the peak of AP and PP, and those that a tree sends."""
        name = f"{method}-{columns.count(',')}"
        settings = [f"method={method}", f"masked.memory_limit={LIMIT}", "data.rows=0", f"data.ap_columns={columns}",
                    "train.rounds=2"]
        for code, err in place.both(name, settings, secure=True):
            self.assertEqual(code, 0, err)
        ap, pp = ({row["metric"]: float(row["value"]) for row in rows(place.dir / name / role / "results.csv").values()
                   if row["metric"] in ("wire_bytes", "trees", "party_peak_rss")} for role in ("ap", "pp"))
        return ap["party_peak_rss"], pp["party_peak_rss"], ap["wire_bytes"] / ap["trees"]

    def test_the_peak_does_not_follow_what_is_sent(self):
        for count in (4000, 40000):
            place = Place()
            with self.subTest(rows=count):
                columns = write_files(place, count)
                *bare, _ = self.peaks(place, "nonprivate", columns)  # the data and the libraries
                *masked, sent = self.peaks(place, "masked", columns)
                if count == 40000:
                    self.assertGreater(sent, 10 * (LIMIT + CONSTANT))
                for with_messages, without in zip(masked, bare):
                    self.assertGreater(with_messages, 1e6)
                    self.assertLess(with_messages - without, LIMIT + CONSTANT)
            place.holder.cleanup()


if __name__ == "__main__":
    skip_without_grpc()
    unittest.main()
