"""A look for each line of a figure, no two of them the same."""
from collections import Counter
from dataclasses import replace

from . import style

# What a line may take whose own look another line has already: any colour but the greys of the references.
COLOURS = [look.colour for name, look in style.METHODS.items() if name not in ("nonprivate", "local", "random-split")]
COLOURS += [colour for colour in style.SPARE[0] if colour != "#4477AA"]  # too near to masked's
FREE = [style.Look(colour, marker, line) for line in style.STROKES for marker in "^sDovPX*p<>" for colour in COLOURS]
HOLLOW_NEVER = "12x"  # markers without an inside


def told_apart(lines, by_attack=False):
    """{name of a line: its look}, for all panels of a figure at once, as they share one legend. A line looks as its method
    does; as its attack, if attacks are what the figure compares or what the method's lines differ in. Of two variants
    the second is hollow and thin. What would look like another line takes what is used least."""
    variants = {}
    for line in lines:
        variants.setdefault((line.method, line.attack), set()).add(line.variant)
    attacks = Counter(method for method, _ in variants)
    wished = {}
    for method, attack in sorted(variants, key=lambda g: (style.method_order(g[0]), style.attack_order(g[1]))):
        named_by_attack = attack and (by_attack or attacks[method] > 1)
        own = style.attack_look(attack) if named_by_attack else style.method_look(method)
        names = [(method, attack, variant) for variant in sorted(variants[method, attack])]
        wished.update(zip(names, [own, _hollow(own) if len(names) == 2 else None] + [None] * len(names)))
    methods_first = sorted(wished, key=lambda name: bool(name[1]))
    return _no_two_alike({name: wished[name] for name in methods_first})


def _hollow(look):
    return None if look.marker in HOLLOW_NEVER else replace(look, fill="none", width=0.6 * look.width)


def _no_two_alike(wished):
    chosen, used = {}, Counter()
    for name, look in sorted(wished.items(), key=lambda item: item[1] is None):  # those that wish for none come last
        if look is None or used[_seen(look)]:
            look = min(FREE, key=lambda free: [used[_seen(free)] > 0, *(used[part] for part in _parts(free))])
        chosen[name] = look
        used.update((_seen(look), *_parts(look)))
    return chosen


def _parts(look):
    """What should be used evenly, the first before the others. A lone point shows no stroke, a line right across no marker."""
    return look.colour, (look.colour, look.marker), (look.colour, look.line), look.marker


def _seen(look):
    """What the eye tells apart; a width alone it does not."""
    return look.colour, look.marker, look.line, look.fill
