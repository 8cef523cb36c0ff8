#!/usr/bin/python3
"""An example of maskplots.load: the test AUC of each method, and what it says it costs AP and PP.

  scripts/example_load.py results/quickstart
"""
import sys

from maskplots import load
from maskplots.results import BadResults
from maskplots.terminal import one_line

SETTING = ["dataset", "method", "eps_ap"]  # and what else your config sweeps


def by_setting(numbers):
    return numbers.groupby(SETTING, observed=True, dropna=False).value


def main(directory):
    runs, numbers = load(directory)
    print("data:", runs.attrs["scale"]["datasets"], "repeats:", runs.attrs["scale"]["repeats"])
    # A run with an attack is another training, often of one tree: no mean over both.
    final = numbers[numbers["round"].isna() & (numbers.status == "ok") & (numbers.attack == "none")]
    table = by_setting(final[final.metric == "test_auc"]).agg(["mean", "std", "count"]).reset_index()
    stated = final[(final.metric == "eps") & (final.view == "stated")]
    for party in ("AP", "PP"):
        eps = by_setting(stated[stated.party == party]).max().rename(f"eps of {party}").reset_index()
        table = table.merge(eps, how="left", on=SETTING)  # not by an index: a missing eps_ap matches nothing there
    text = table.set_index(SETTING).to_string(float_format="{:.4g}".format)
    print("\n".join(map(one_line, text.split("\n"))))  # results may be a stranger's


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except BadResults as error:
        sys.exit(f"example_load.py: {error}")
