"""Figures, tables, summary and report from results. One module for each idea:

results   reads and checks the two tables     series    rows into mean, deviation and x
schema    their columns, the keys' defaults   frames    the tables for pandas: load(DIR)
stats     mean, deviation, paired tests       summary   means, and methods compared
style     colours, markers, saving            tables    Markdown and LaTeX
paper     the numbers the paper prints        catalog   which config draws what
captions  scale and readings in words         gaps      differences from a reference
fig_*     one figure or table of the paper    page      the HTML report; skipped, report_data: parts of it
claims_*  verdicts on the paper's claims      terminal  foreign text on its way to it
"""


def load(directory):
    """(runs, numbers) of a results folder as typed pandas tables: see frames.load."""
    from .frames import load as read
    return read(directory)
