"""What the scripts say must not depend on the hash of a name: no list is made, and nothing is done, in the order of a set."""
import ast
import unittest

import support

ORDERED = ("keys", "items")  # of dictionaries; with & or - between them they are sets


def is_set(node):
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.Sub, ast.BitXor)):
        return any(is_set(side) or is_call(side, *ORDERED) for side in (node.left, node.right))
    return is_call(node, "set", "frozenset", "intersection", "union", "difference")


def is_call(node, *names):
    return isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in names


def set_names(scope):
    """Names that a function gives to sets."""
    return {target.id for node in ast.walk(scope) if isinstance(node, ast.Assign) and is_set(node.value)
            for target in node.targets if isinstance(target, ast.Name)}


def unordered(source):
    """Lines that go over a set one by one. A set or a dictionary made of it is judged where it is gone over."""
    found = set()
    tree = ast.parse(source)
    for scope in (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Module))):
        names = set_names(scope) if isinstance(scope, ast.FunctionDef) else set()
        for node in ast.walk(scope):
            over = [node.iter] if isinstance(node, ast.For) else []
            over += [part.iter for part in node.generators] if isinstance(node, ast.ListComp) else []
            found |= {at.lineno for at in over if is_set(at) or isinstance(at, ast.Name) and at.id in names}
    return sorted(found)


class Order(unittest.TestCase):
    def test_no_script_goes_over_a_set_as_it_comes(self):
        scripts = support.ROOT / "scripts"
        found = [f"{path.relative_to(scripts)}:{line}" for path in sorted(scripts.rglob("*.py"))
                 for line in unordered(path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [], "sorted() is missing")

    def test_what_is_found_and_what_is_not(self):
        for text in ("[a for a in {1, 2}]", "[x[k] for k in x.keys() & y.keys()]", "for a in set(b):\n  pass",
                     "def f():\n  a = {1}\n  return [b for b in a]"):
            self.assertTrue(unordered(text), text)
        for text in ("[a for a in sorted({1, 2})]", "for a in x.keys():\n  pass", "any(a for a in {1, 2})", "[a for a in b - c]"):
            self.assertEqual(unordered(text), [], text)


if __name__ == "__main__":
    unittest.main()
