"""cmake --install makes a tree that works by itself: install_test.py BUILD_DIR CMAKE PYTHON

Installs below a temporary prefix, runs a small config there and makes its report with the installed scripts.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

CONFIG = """\
name: tiny
data: {dataset: adult, source: synthetic, rows: 600}
train: {rounds: 2, max_depth: 3}
axes: {method: [nonprivate, local]}
"""


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    build, cmake, python = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        run(cmake, "--install", build, "--prefix", root / "usr")
        program = root / "usr/bin/maskbench"
        (root / "tiny.yaml").write_text(CONFIG)
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MASKBENCH")}
        run(program, "run", "tiny.yaml", cwd=root, env=clean)
        scripts = run(program, "report", "--help", cwd=root, env=clean)
        if str(root / "usr/share/maskbench/scripts") not in "".join(scripts.split()):
            sys.exit(f"the installed program looks for its scripts elsewhere\n{scripts}")
        run(program, "report", "results/tiny", "--python", python, cwd=root, env=clean)
        if not (root / "results/tiny/report.html").is_file():
            sys.exit("no report")
        shipped = root / "usr/share/maskbench/configs/quickstart.yaml"
        run(program, "show", shipped, cwd=root, env=clean)
    print("ok")


if __name__ == "__main__":
    main()
