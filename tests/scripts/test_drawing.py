"""What is drawn, read from matplotlib's axes: ranges, ticks, lines, looks."""
import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import fake_results
import support
from fake_results import Fake


def drawn(fake, config, make=None):
    """{name: figure} as the builders (or `make`) hand them over, before they are closed."""
    from maskplots import catalog, sink, style
    style.plt.close("all")  # of the test before: many open ones are warned of

    class Recorder(sink.Sink):
        def figure(self, figure, name, title, caption, alt, points):
            self.seen[name] = (figure, title, caption)

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        recorder = Recorder(Path(folder))
        recorder.seen = {}
        make = make or (lambda found, sink: catalog.build(config, found, sink))
        make(support.results_of(fake), recorder)
    return recorder.seen


def labels(axes):
    return [line.get_label() for line in axes.get_lines()]


@support.needs_plots
class Utility(unittest.TestCase):
    def test_gaps_are_paired_by_repeat_and_setting(self):
        from maskplots import gaps
        fake = Fake()
        for repeat, (ceiling, masked) in enumerate(((0.9, 0.8), (0.7, 0.65))):
            for method, value in (("nonprivate", ceiling), ("masked", masked)):
                fake.metric(fake.run("fig-utility", method, repeat=repeat), "test_auc", value)
        fake.metric(fake.run("fig-utility", "masked", "bank"), "test_auc", 0.5)  # nothing to compare with
        points = support.results_of(fake).finals("test_auc")
        found = gaps.against(points, points, "nonprivate")
        self.assertEqual([(p.run.method, round(p.value, 6)) for p in found], [("masked", -0.1), ("masked", -0.05)])

    def test_the_lower_panel_tells_the_best_apart_where_others_are_far(self):
        fake = Fake()
        far = {"nonprivate": 0.0, "label-rr": 0.004, "late-fusion": 0.012, "masked": 0.04, "xgb-ldp": 0.4}
        for method, gap in far.items():
            for eps in (0.5, 8):
                fake.metric(fake.run("fig-utility", method, eps_ap=eps, reading="paper"), "test_auc", 0.95 - gap)
        (figure, _, _), = drawn(fake, "fig-utility").values()
        upper, lower = figure.axes

        def heights(ax):
            """Of the methods' lines, in shares of the panel."""
            at = {line.get_label(): line.get_ydata()[0] for line in ax.get_lines() if line.get_label() in far}
            return {name: ax.transAxes.inverted().transform(ax.transData.transform((1, y)))[1] for name, y in at.items()}
        self.assertLess(heights(upper)["label-rr"] - heights(upper)["late-fusion"], 0.03)
        shown = heights(lower)
        self.assertGreater(shown["label-rr"] - shown["late-fusion"], 0.1)
        self.assertGreater(shown["late-fusion"] - shown["masked"], 0.1)
        self.assertTrue(all(0 <= y <= 1 for y in shown.values()))

    def test_four_readings_have_four_titles(self):
        titles = set()
        for reading in ("paper", "message", "equal", "sound"):
            fake = Fake()
            fake_results.utility(fake, repeats=1, reading=reading, datasets=("adult",), budgets=(1, 8))
            (_, title, caption), = drawn(fake, "fig-utility").values()
            titles.add(title)
            self.assertIn(f"reading '{reading}'", caption)
        self.assertEqual(len(titles), 4)

    def test_a_curve_that_falls_with_the_budget_is_explained(self):
        for later, said in ((0.88, True), (0.92, False)):
            fake = Fake()
            for eps, value in ((0.5, 0.9), (8, later)):
                fake.metric(fake.run("fig-utility", "masked", eps_ap=eps), "test_auc", value)
            (_, _, caption), = drawn(fake, "fig-utility").values()
            self.assertEqual("masked falls with eps_AP on adult (−0.020 from 0.5 to 8)" in caption, said)


@support.needs_plots
class Rounds(unittest.TestCase):
    def test_rounds_are_whole_and_begin_at_one(self):
        for rounds in (3, 12, 60):
            fake = Fake()
            fake_results.utility(fake, "fig-convergence", repeats=1, datasets=("adult",), rounds=rounds, budgets=(1,))
            (figure, _, _), = drawn(fake, "fig-convergence").values()
            for ax in figure.axes:
                ticks = [t for t in ax.get_xticks() if ax.get_xlim()[0] <= t <= ax.get_xlim()[1]]
                self.assertEqual(ticks[0], 1)
                self.assertTrue(all(t == int(t) for t in ticks), ticks)
                self.assertEqual(len(ticks), len(set(ticks)))
                self.assertEqual(max(max(line.get_xdata()) for line in ax.get_lines() if len(line.get_xdata()) > 2), rounds)


@support.needs_plots
class Attacks(unittest.TestCase):
    def test_one_range_a_coin_and_every_budget(self):
        fake = Fake()
        for dataset in ("adult", "bank"):
            for eps in (0.5, 2, 8):
                for delta in (0.0001, 0.01):
                    run = fake.run("fig-label-attack", "masked", dataset, eps_ap=eps, delta_ap=delta, attack="label-nn")
                    fake.metric(run, "attack_accuracy", 0.5 + eps / 20)
        (figure, _, _), = drawn(fake, "fig-label-attack").values()
        self.assertEqual(len(figure.axes), 4)
        self.assertEqual({ax.get_ylim() for ax in figure.axes}, {figure.axes[0].get_ylim()})
        for ax in figure.axes:
            self.assertIn("a coin: .5", labels(ax))
            line = next(line for line in ax.get_lines() if line.get_label() == "label-nn, the paper's attack")
            self.assertEqual(list(line.get_xdata()), [0.5, 2, 8])

    def test_a_sweep_of_attacks_alone_draws_what_the_attack_found(self):
        fake = Fake()
        for eps in (1, 8):
            run = fake.run("mine", "masked", eps_pp=eps, attack="attribute-likelihood")
            fake.metric(run, "test_auc", 0.8)
            fake.metric(run, "balanced_bit_match", 0.5 + eps / 20)
        (name, (figure, title, _)), = drawn(fake, "mine").items()
        self.assertEqual((name, title), ("mine", "Balanced bit match over eps_PP"))
        self.assertIn("a blind guess", labels(figure.axes[0]))

    def test_a_flat_sweep_says_so(self):
        for step, said in ((0.0, True), (0.1, False)):
            fake = Fake()
            for i, eps in enumerate((1, 8)):
                fake.metric(fake.run("mine", "masked", eps_ap=eps, attack="label-nn"), "attack_balanced_accuracy",
                            0.5 + i * step)
            (_, _, caption), = drawn(fake, "mine").values()
            self.assertEqual("Flat: no line moves" in caption, said)


@support.needs_plots
class Lines(unittest.TestCase):
    """No two lines of a panel look the same, and the legend's look is that of every panel."""

    def looks(self, fake, config="mine", metric=None):
        """[{label: look}] of the panels with all but the lines for comparison."""
        from maskplots import fig_auto
        make = (lambda found, sink: fig_auto.asked(config, found, sink, metric)) if metric else None
        (figure, _, _), = drawn(fake, config, make).values()
        panels = [{line.get_label(): (line.get_color(), line.get_marker(), line.get_fillstyle(), line._dash_pattern)
                   for line in ax.get_lines() if line.get_label() != "a blind guess"} for ax in figure.axes]
        for shown in panels:
            self.assertEqual(len(set(map(str, shown.values()))), len(shown), shown)
            points = [look[:3] for look in shown.values() if look[1] != "None"]  # without their strokes
            self.assertEqual(len(set(points)), len(points), shown)
        return panels

    def test_lines_of_one_method_that_differ_by_attack(self):
        fake = Fake()
        attacks = ("none", "label-nn", "label-subspace", "label-residue", "attribute-minsum", "mine-own")
        for attack in attacks:
            for eps in (1, 8):
                fake.metric(fake.run("mine", "masked", eps_ap=eps, attack=attack), "test_auc", 0.8)
                fake.metric(fake.run("mine", "xgb-ldp", eps_ap=eps), "test_auc", 0.7)
        (shown,) = self.looks(fake, metric="test_auc")
        self.assertEqual(list(shown)[0], "masked")
        self.assertEqual(len({colour for colour, *_ in shown.values()}), len(attacks) + 1)
        self.assertEqual(len({marker for _, marker, *_ in shown.values()}), len(attacks) + 1)
        self.assertEqual((shown["masked"][0], shown["xgb-ldp"][0]), ("#0072B2", "#D55E00"))

    def test_the_same_attack_on_several_methods(self):
        fake = Fake()
        for method in ("masked", "xgb-ldp", "label-rr"):
            for eps in (1, 8):
                fake.metric(fake.run("mine", method, eps_ap=eps, attack="label-nn"), "attack_balanced_accuracy", 0.8)
        (shown,) = self.looks(fake)
        self.assertEqual(len({colour for colour, *_ in shown.values()}), 3)

    def test_many_variants_of_a_method_and_one_that_goes_across(self):
        fake = Fake()
        for depth in range(1, 41):
            for eps in (1, 8):
                fake.metric(fake.run("mine", "masked", eps_ap=eps, params=f"train.max_depth={depth}"), "test_auc", 0.8)
            fake.metric(fake.run("mine", "nonprivate", params=f"train.max_depth={depth}"), "test_auc", 0.9)
        (shown,) = self.looks(fake)
        self.assertEqual(len(shown), 80)
        (figure, _, _), = drawn(fake, "mine").values()
        least, most = figure.axes[0].get_xlim()
        swept = [x for line in figure.axes[0].get_lines() for x in line.get_xdata() if line.get_marker() != "None"]
        self.assertTrue(least < min(swept) and max(swept) < most, swept)

    def test_of_two_variants_the_second_is_hollow(self):
        fake = Fake()
        for method in ("masked", "label-rr"):
            for params in ("", "train.gbdt=true"):
                for eps in (1, 8):
                    fake.metric(fake.run("mine", method, eps_ap=eps, params=params), "test_auc", 0.8)
        (shown,) = self.looks(fake)
        self.assertEqual([look[2] for look in shown.values()], ["full", "none"] * 2)
        self.assertEqual(shown["masked"][:2], shown["masked (gbdt=true)"][:2])

    def test_a_line_looks_the_same_in_every_panel(self):
        fake = Fake()
        for dataset, depths in (("adult", (2, 3, 4)), ("bank", (4, 3))):
            for depth in depths:
                for eps in (1, 8):
                    run = fake.run("mine", "masked", dataset, eps_ap=eps, params=f"train.max_depth={depth}")
                    fake.metric(run, "test_auc", 0.8)
        adult, bank = self.looks(fake)
        self.assertEqual(len(bank), 2)
        self.assertEqual(bank, {label: adult[label] for label in bank})

    def test_variants_over_rounds_of_one_budget(self):
        fake = Fake()
        for W in (1, 4):
            for eps in (1, 8):
                fake.auc(fake.run("fig-ablation", "masked", eps_pp=eps, W=W))
        (figure, _, _), = drawn(fake, "fig-ablation").values()
        rounds = figure.axes[1].get_lines()
        self.assertEqual(len({(line.get_color(), str(line._dash_pattern)) for line in rounds}), 4)


@support.needs_plots
class Seconds(unittest.TestCase):
    def test_an_outlier_does_not_move_the_point_and_whiskers_stay_on_the_axis(self):
        fake = Fake()
        for features in (8, 16, 32):
            for repeat, seconds in enumerate((0.01, 0.011, 0.9)):
                run = fake.run("fig-scaling", "masked", "higgs", repeat, params=f"data.features={features}")
                fake.metric(run, "seconds_per_tree", seconds * features, unit="s")
        (figure, _, caption), = drawn(fake, "fig-scaling").values()
        ax = figure.axes[0]
        self.assertEqual(ax.get_yscale(), "log")
        self.assertAlmostEqual(ax.get_lines()[0].get_ydata()[0], 0.011 * 8)
        self.assertIn("Median of 3 repeats", caption)

    def test_the_table_of_seconds_names_rows_and_key_bits(self):
        fake = Fake()
        for repeat, seconds in enumerate((0.001, 0.001, 0.9)):  # a deviation of more than the mean
            run = fake.run("tab-efficiency", "paillier", repeat=repeat, params="data.rows=4000;paillier.key_bits=1024")
            fake.metric(run, "seconds_per_tree", seconds, unit="s")
        (figure, _, caption), = drawn(fake, "tab-efficiency").values()
        self.assertIn("4000 rows: not the same work", caption)
        ax = figure.axes[0]
        self.assertEqual([t.get_text() for t in ax.get_yticklabels()], ["paillier (1024 bits)"])
        self.assertTrue(all(x > 0 for line in ax.get_lines() for x in line.get_xdata()))


@support.needs_plots
class Looks(unittest.TestCase):
    def test_methods_of_ones_own_are_told_apart(self):
        from maskplots import style
        names = [f"mine-{i}" for i in range(20)]
        looks = {style.method_look(name) for name in names}
        self.assertEqual(len(looks), 20)
        self.assertFalse(looks & set(style.METHODS.values()))
        first = [style.method_look(name) for name in names[:7]]
        self.assertEqual(len({look.colour for look in first}), 7)
        self.assertGreater(len({look.marker for look in first}), 4)

    def test_a_long_title_stays_over_its_panel(self):
        from maskplots import fig_auto
        fake = Fake()
        for attack in ("attribute-minsum", "attribute-likelihood"):
            for party in ("AP", "PP"):
                run = fake.run("mine", "masked", attack=attack)
                fake.metric(run, "eps", 1.0, party=party, view="stated")
                fake.metric(run, "eps", 1.0, party=party, view="receiver")
        (figure, _, _), = drawn(fake, "mine", lambda found, sink: fig_auto.asked("mine", found, sink, "eps", facet="attack")).values()
        figure.canvas.draw()
        whole = figure.get_size_inches()[0] * figure.dpi
        for ax in figure.axes:
            self.assertLess(ax.title.get_window_extent().width, whole / 3 * 0.95, ax.get_title())

    def test_the_legend_takes_the_width_that_there_is(self):
        from maskplots import style
        short = [f"m{i}" for i in range(8)]
        self.assertEqual(style._legend_columns(short, 9), 8)
        self.assertGreater(style._legend_columns([*short, "one label that is much longer than all the others"], 9), 4)
        self.assertEqual(style._legend_columns(["x" * 200], 5), 1)


if __name__ == "__main__":
    unittest.main()
