"""Counts the instructions a warp executes in a kernel from its SASS, the machine code that nvdisasm prints.

Method. The code is cut into basic blocks; branches and predicates give the graph. What runs only when lanes have
diverged (BRA.DIV, BRA.CONV's other way) or for numbers out of the ordinary (calls of a slow path: square roots of zero,
infinite or subnormal numbers) is left out: with the inputs of these kernels it does not run but once in 2^31 draws. A
jump backwards closes a loop. The caller says how often the body of each loop runs for one task of the kernel, loops in
the order of their first instruction; code outside of loops runs once. Where a branch may go two ways both are counted.
So the sum is an upper bound of what a warp issues, and lanes that sit out are counted too: a warp's instruction costs
32 lane instructions whether they all work or not.
"""
import re

LABEL = re.compile(r"^(\.L_x_\d+|\$\S+):")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
TARGET = re.compile(r"`\((\.L_x_\d+|\$[^)]*)\)")
RARE = re.compile(r"slowpath|_sm70_(warpsync|votesync|shflsync)")


class CountError(Exception):
    """The code is not as the counter expects it."""


class Block:
    def __init__(self, label=None):
        self.labels = [label] if label else []
        self.operations = []
        self.is_rare = False
        self.next = []  # labels; None: the block that follows


def functions(listing):
    """{mangled name: its lines} of what `nvdisasm -c` prints."""
    found, lines = {}, None
    for line in listing.splitlines():
        if line.startswith(".text."):
            lines = found.setdefault(line[len(".text."):].rstrip(":"), [])
        elif line.startswith(".section") or line.startswith("//-----"):
            lines = None
        elif lines is not None:
            lines.append(line)
    return found


def leave(block, predicate, operation, operands):
    """Where control may go after a jump; None for an operation that is none."""
    kind = operation.split(".")[0]
    target = TARGET.search(operands)
    where = target.group(1) if target else None
    if kind == "EXIT":
        return [None] if predicate else []
    if kind in ("RET", "BRX", "JMX"):
        return []
    if kind == "CALL" and where and where.startswith("$"):
        if not RARE.search(where):
            raise CountError(f"a call of {where}, whose cost is not known")
        block.is_rare = True
        return []
    if kind not in ("BRA", "CALL"):
        return None
    if operation.startswith("BRA.DIV"):
        return [None]
    if operation.startswith("BRA.CONV"):
        return [where]
    is_conditional = predicate or re.match(r"!?U?P\w", operands)
    return [where, None] if is_conditional else [where]


def blocks_of(lines):
    blocks = [Block()]
    for line in lines:
        if found := LABEL.match(line):
            if found.group(1).startswith("$"):
                break  # subroutines follow
            if blocks[-1].operations:
                blocks[-1].next = blocks[-1].next or [None]
                blocks.append(Block(found.group(1)))
            else:
                blocks[-1].labels.append(found.group(1))
        elif found := INSTRUCTION.match(line):
            _, predicate, operation, operands = found.groups()
            blocks[-1].operations.append(operation)
            after = leave(blocks[-1], predicate, operation, operands)
            if after is not None:
                blocks[-1].next = after or ["nowhere"]
                blocks.append(Block())
    return blocks


def graph(blocks):
    """Indices of the blocks that may follow each block."""
    place = {label: i for i, block in enumerate(blocks) for label in block.labels}
    edges = []
    for i, block in enumerate(blocks):
        targets = [i + 1 if label is None else place.get(label) for label in block.next]
        edges.append([t for t in targets if t is not None and t < len(blocks)])
    return edges


def reachable(edges, blocks):
    seen, todo = set(), [0]
    while todo:
        i = todo.pop()
        if i in seen or blocks[i].is_rare:
            continue
        seen.add(i)
        todo.extend(edges[i])
    return seen


def loops_of(edges, alive):
    """{first block: all blocks} of each loop."""
    before = {i: [] for i in alive}
    for i in alive:
        for j in edges[i]:
            if j in alive:
                before[j].append(i)
    loops = {}
    for i in alive:
        for head in edges[i]:
            if head not in alive or head > i or (head == i and len(edges[i]) == 1):
                continue  # forwards, or the endless jump after the code
            body, todo = loops.setdefault(head, {head}), [i]
            while todo:
                j = todo.pop()
                if j not in body:
                    body.add(j)
                    todo.extend(before[j])
    return loops


def count(lines, trips):
    """Instructions of one task; trips: how often the body of each loop runs in it."""
    blocks = blocks_of(lines)
    edges = graph(blocks)
    alive = reachable(edges, blocks)
    loops = sorted(loops_of(edges, alive).items())
    if len(loops) != len(trips):
        sizes = [sum(len(blocks[i].operations) for i in body) for _, body in loops]
        raise CountError(f"{len(loops)} loops (of {sizes} instructions) where {len(trips)} are known; "
                         "look at the SASS and renew the trips")
    total = 0
    for i in alive:
        inside = [(len(body), trip) for (_, body), trip in zip(loops, trips) if i in body]
        total += len(blocks[i].operations) * (min(inside)[1] if inside else 1)
    return total
