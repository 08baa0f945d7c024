"""What `make count` says of figures: python3 judging.py"""

import unittest

from comparison import table, verdict

RECORD = {"wire": 1000.0, "allocations": 0.0}


class Verdict(unittest.TestCase):
    def test_a_figure_within_the_tolerance_passes(self):
        for wire in (980.5, 1000.0, 1019.5):
            sentence, status = verdict(RECORD, {"wire": wire, "allocations": 0.0})
            self.assertEqual((sentence, status), ("All within 2% of the record.", 0))

    def test_a_figure_that_is_worse_fails_with_its_name_and_what_to_do(self):
        sentence, status = verdict(RECORD, {"wire": 1021.0, "allocations": 0.0})
        self.assertEqual(status, 1)
        self.assertIn("More than 2% worse: wire.", sentence)
        self.assertIn("make count WRITE=1", sentence)

    def test_a_figure_that_is_worse_fails_beside_one_that_is_better(self):
        self.assertEqual(verdict({"a": 10.0, "b": 10.0}, {"a": 5.0, "b": 11.0})[1], 1)

    def test_the_first_allocation_where_there_was_none_fails(self):
        self.assertEqual(verdict(RECORD, {"wire": 1000.0, "allocations": 0.1})[1], 1)

    def test_an_allocation_in_very_few_events_is_none(self):
        record = {"wire: allocations": 0.0, "always: allocations": 0.064}
        for figures, status in (({"wire: allocations": 0.001, "always: allocations": 0.079}, 0),
                                ({"wire: allocations": 0.021, "always: allocations": 0.064}, 1),
                                ({"wire: allocations": 0.0, "always: allocations": 0.09}, 1)):
            self.assertEqual(verdict(record, figures)[1], status, figures)

    def test_a_figure_that_is_better_passes_and_asks_for_the_record(self):
        sentence, status = verdict(RECORD, {"wire": 900.0, "allocations": 0.0})
        self.assertEqual(status, 0)
        self.assertIn("make count WRITE=1", sentence)

    def test_a_figure_that_is_new_or_gone_passes_and_asks_for_the_record(self):
        for figures in ({"wire": 1000.0}, {**RECORD, "new": 1.0}):
            sentence, status = verdict(RECORD, figures)
            self.assertEqual(status, 0)
            self.assertIn("make count WRITE=1", sentence)


class Table(unittest.TestCase):
    def test_a_table_has_record_figure_and_change(self):
        lines = table(RECORD, {"wire": 1100.0, "new": 1.0}).split("\n")
        self.assertEqual(lines[0].split(), ["figure", "record", "now", "change"])
        self.assertEqual(lines[1].split(), ["wire", "1,000.0", "1,100.0", "+10.0%"])
        self.assertEqual(lines[2].split(), ["new", "1.0", "new"])
        self.assertEqual(lines[3].split(), ["allocations", "0.0", "gone"])


if __name__ == "__main__":
    unittest.main()
