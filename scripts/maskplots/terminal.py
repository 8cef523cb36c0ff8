"""Foreign text on its way to the terminal: names, cells, paths and reasons that others wrote."""
import re

# What moves a terminal's cursor, or the order in which its letters are shown: as is_hidden in harness/base/text.cpp. Bytes of
# a path that are no UTF-8 come as lone surrogates, which cannot be printed at all.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def _escaped(found):
    point = ord(found.group())
    if 0xdc80 <= point <= 0xdcff:  # a byte, not a letter
        point -= 0xdc00
    return " " if found.group() in "\n\t" else f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"


def one_line(text):
    """The text with everything hidden in it written out, as maskbench itself does."""
    return HIDDEN.sub(_escaped, str(text))
