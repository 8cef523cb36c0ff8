"""Where figures and tables go, and the reasons for those that could not be made."""
from dataclasses import dataclass, field
from pathlib import Path

from . import captions, style, tables, terminal, whole_file


@dataclass
class Artifact:
    name: str
    title: str
    caption: str
    stamp: str
    alt: str = ""
    picture: Path | None = None
    width: int = 0  # of the picture, in CSS pixels
    columns: list = field(default_factory=list)
    rows: list = field(default_factory=list)


class Sink:
    """A figure for print carries its title, caption and scale; on a page (for_page) they are text beside it."""

    def __init__(self, folder, for_page=False):
        self.for_page = for_page
        self.folder = Path(folder)
        self.artifacts = []
        self.skipped = []  # (name, reason)
        self.written = []

    def skip(self, name, reason):
        self.skipped.append((name, reason))
        print(terminal.one_line(f"{name}: skipped: {reason}"))

    def figure(self, figure, name, title, caption, alt, points):
        """points: what is drawn, for the scale."""
        name, stamp = style.file_name(name), captions.stamp(points)
        words = {} if self.for_page else dict(title=title, caption=caption, stamp=stamp)
        style.finish(figure, **words)
        paths = (style.save_for_page if self.for_page else style.save)(figure, self.folder, name)
        width = round(108 * figure.get_size_inches()[0])
        style.plt.close(figure)
        self._text(f"{name}.caption.txt", f"{title}. {caption} {stamp}.\n")
        self.written += paths.values()
        self.artifacts.append(Artifact(name, title, caption, stamp, alt, paths.get("svg") or paths["png"], width))

    def table(self, name, title, caption, columns, rows, points):
        name, stamp = style.file_name(name), captions.stamp(points)
        words = f"{caption} {stamp}."
        self._text(f"{name}.md", tables.markdown(columns, rows, words))
        self._text(f"{name}.tex", tables.latex(name, columns, rows, words))
        self.artifacts.append(Artifact(name, title, caption, stamp, columns=columns, rows=rows))

    def _text(self, file, text):
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / file
        whole_file.write_text(path, text)
        self.written.append(path)
