"""The configs as files: all there, commented, with a small variant. That their keys are right is
checked by the harness's own loader."""
import unittest

import support

CONFIGS = support.ROOT / "configs"
PAPER = ("fig-utility fig-convergence tab-efficiency fig-label-attack fig-attribute-attack fig-ablation "
         "fig-delta-pp tab-communication tab-deviation").split()


class Configs(unittest.TestCase):
    def text(self, name):
        return (CONFIGS / f"{name}.yaml").read_text(encoding="utf-8")

    def all_names(self):
        return sorted(path.stem for path in CONFIGS.glob("*.yaml"))

    def test_paper_includes_all_that_needs_no_gpu_and_no_line_but_quickstart(self):
        included = [line.split("- ")[1].removesuffix(".yaml") for line in self.text("paper").splitlines()
                    if line.startswith("  - ")]
        others = {"paper", "quickstart", "gpu", "fig-network"}
        self.assertEqual(sorted(included), sorted(set(self.all_names()) - others))
        self.assertLessEqual(set(PAPER), set(included))

    def test_each_is_named_as_its_file_and_says_what_it_costs(self):
        for name in self.all_names():
            lines = self.text(name).splitlines()
            self.assertIn(f"name: {name}", lines)
            self.assertTrue(any(line.startswith("# expected: ") or "measured on" in line for line in lines), name)
            if name != "paper":
                self.assertIn("small:", [line.split("#")[0].strip() for line in lines], name)

    @support.needs_plots
    def test_each_known_figure_has_its_config(self):
        from maskplots import catalog
        self.assertLessEqual(set(catalog.BUILDERS), set(self.all_names()))


if __name__ == "__main__":
    unittest.main()
