#!/usr/bin/python3
"""CONTRIBUTING.md's sources are whole: each compiles as it stands.

usage: contributing_test.py COMPILER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    sources = re.findall(r"^```cpp\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), re.S | re.M)
    if len(sources) != 2:
        sys.exit(f"CONTRIBUTING.md has {len(sources)} sources in C++; a method and an attack were there")
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            file = pathlib.Path(folder) / "example.cpp"
            file.write_text(source)
            subprocess.run([sys.argv[1], "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}",
                            "-isystem", "/usr/include/eigen3", str(file)], check=True)


if __name__ == "__main__":
    main()
