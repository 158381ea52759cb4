"""A row that survives its mutation must not claim to compare with a measurement."""
import unittest

from script import load


MUTATION = load("row_mutation")


def answer(n_red, **survivors):
    """`survivors`: {row: kind}"""
    rows = [{"id": f"r{i}", "kind": "seen", "entry": "gpu/x", "key": "k", "factor": 0.5, "moved": -0.5, "elasticity": 1.0, "red": True, "why_not": ""} for i in range(n_red)]
    rows += [{"id": s, "kind": kind, "entry": "", "key": "", "factor": None, "moved": None, "elasticity": None, "red": False, "why_not": "typed in"} for s, kind in survivors.items()]
    return {"count": len(rows), "red": n_red, "rows": rows}


class RowMutation(unittest.TestCase):
    def test_survivors_are_bounds_or_identities(self):
        self.assertEqual(MUTATION.findings(answer(60, a="bound", c="identity")), [])
        self.assertEqual(len(MUTATION.findings(answer(60, a="bound", b="blind"))), 1)

    def test_nineteen_in_twenty_turn_red(self):
        self.assertEqual(MUTATION.findings(answer(19, a="bound")), [])
        self.assertIn("only 18 of 20", MUTATION.findings(answer(18, a="bound", c="bound"))[0])

    def test_what_survives_in_a_part_is_named_on_the_page(self):
        known = MUTATION.named(MUTATION.page(answer(1, a="bound")))
        self.assertEqual(known, {"a"})
        self.assertEqual(MUTATION.findings(answer(1, a="bound"), known), [])
        self.assertIn("does not say so", MUTATION.findings(answer(1, a="bound", c="bound"), known)[0])

    def test_the_page_names_the_survivors_first(self):
        lines = MUTATION.page(answer(1, a="bound")).splitlines()
        self.assertIn("1 of 2 passing rows turn red (50.0 %).", lines)
        self.assertEqual(lines[-2:], ["| a | bound |  |  | – | – | – | **survives**: typed in |", "| r0 | seen | gpu/x | k | 0.5 | −0.5 | +1 | red |"])


if __name__ == "__main__":
    unittest.main()
