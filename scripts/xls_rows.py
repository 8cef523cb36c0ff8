"""Reads the cells of the first sheet of an old Excel file (BIFF8 .xls) with the standard library.

Enough for tables of numbers and texts: a compound file [MS-CFB] holds a stream "Workbook" of
records [MS-XLS]. Formulas, dates and formats are not interpreted.
"""
import struct

END_OF_CHAIN = 0xFFFFFFFA  # this and above are no sectors


class NotXls(ValueError):
    pass


def workbook_stream(data):
    if data[:8] != b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise NotXls("not an .xls file")
    size = 1 << struct.unpack_from("<H", data, 30)[0]
    sector = lambda i: data[(i + 1) * size:(i + 2) * size]
    first_dir, cutoff, first_mini, _, difat, _ = struct.unpack_from("<I4xIIIII", data, 48)
    fat_sectors = list(struct.unpack_from("<109I", data, 76))
    while difat < END_OF_CHAIN:
        entries = struct.unpack(f"<{size // 4}I", sector(difat))
        fat_sectors += entries[:-1]
        difat = entries[-1]
    fat = [entry for i in fat_sectors if i < END_OF_CHAIN
           for entry in struct.unpack(f"<{size // 4}I", sector(i))]

    def chain(table, start, piece):
        parts, seen = [], 0
        while start < END_OF_CHAIN and seen <= len(table):
            parts.append(piece(start))
            start = table[start]
            seen += 1
        return b"".join(parts)

    directory = chain(fat, first_dir, sector)
    mini_stream = b""
    for at in range(0, len(directory), 128):
        length = struct.unpack_from("<H", directory, at + 64)[0]
        name = directory[at:at + max(length - 2, 0)].decode("utf-16-le", "replace")
        start, stream_size = struct.unpack_from("<II", directory, at + 116)
        if name == "Root Entry":
            mini_stream = chain(fat, start, sector)
        if name in ("Workbook", "Book"):
            if stream_size >= cutoff:
                return chain(fat, start, sector)[:stream_size]
            mini_bytes = chain(fat, first_mini, sector)
            mini_fat = struct.unpack(f"<{len(mini_bytes) // 4}I", mini_bytes)
            return chain(mini_fat, start, lambda i: mini_stream[i * 64:(i + 1) * 64])[:stream_size]
    raise NotXls("the .xls file has no workbook")


def records(stream):
    at = 0
    while at + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, at)
        yield kind, stream[at + 4:at + 4 + length]
        at += 4 + length


def rk_number(rk):
    """A number packed in 30 bits: an integer, or the high bits of a double; maybe in hundredths."""
    if rk & 2:
        value = float((rk >> 2) - (1 << 30) if rk & 0x80000000 else rk >> 2)
    else:
        value = struct.unpack("<d", struct.pack("<Q", (rk & 0xFFFFFFFC) << 32))[0]
    return value / 100 if rk & 1 else value


def shared_strings(parts):
    """The table of texts: an SST record and its CONTINUEs, where a text cut in two starts again
    with a byte that says whether its characters have one byte or two."""
    part, at, texts = 0, 8, []

    def take(count):
        nonlocal part, at
        if at >= len(parts[part]):
            part, at = part + 1, 0
        piece = parts[part][at:at + count]
        at += len(piece)
        return piece

    for _ in range(struct.unpack_from("<I", parts[0], 4)[0]):
        length, flags = struct.unpack("<HB", take(3))
        runs = struct.unpack("<H", take(2))[0] if flags & 8 else 0
        extra = struct.unpack("<I", take(4))[0] if flags & 4 else 0
        text, wide = "", flags & 1
        while len(text) < length:
            if at >= len(parts[part]):
                wide = take(1)[0] & 1
            piece = take((length - len(text)) * (2 if wide else 1))
            text += piece.decode("utf-16-le" if wide else "latin-1")
        skip = 4 * runs + extra
        while skip > 0:
            skip -= len(take(skip))
        texts.append(text)
    return texts


def xls_rows(data):
    """The rows of the first sheet as lists of float, str or None."""
    cells, strings, sst_parts, sheets, last = {}, [], None, 0, None
    for kind, body in records(workbook_stream(data)):
        if kind == 0x3C and last == 0xFC:
            sst_parts.append(body)
            continue
        if last == 0xFC:
            strings = shared_strings(sst_parts)
        last = kind
        if kind == 0xFC:
            sst_parts = [body]
        elif kind == 0x809 and struct.unpack_from("<H", body, 2)[0] == 0x10:
            sheets += 1
            if sheets > 1:
                break
        elif kind in (0x203, 0x27E, 0xFD, 0xBD):
            row, column = struct.unpack_from("<HH", body)
            if kind == 0x203:
                cells[row, column] = struct.unpack_from("<d", body, 6)[0]
            elif kind == 0x27E:
                cells[row, column] = rk_number(struct.unpack_from("<I", body, 6)[0])
            elif kind == 0xFD:
                cells[row, column] = strings[struct.unpack_from("<I", body, 6)[0]]
            else:
                for i in range((len(body) - 6) // 6):
                    cells[row, column + i] = rk_number(struct.unpack_from("<I", body, 6 + 6 * i)[0])
    if not cells:
        raise NotXls("the first sheet is empty")
    width = 1 + max(column for _, column in cells)
    height = 1 + max(row for row, _ in cells)
    return [[cells.get((r, c)) for c in range(width)] for r in range(height)]
