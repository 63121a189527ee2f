# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Adds up the results of ctest and ns-3's test.py: test_summary.py FOLDER.

Prints 'N passed, N failed' as the last line. Exit code 1 if a test failed or one of the two ran none.
"""

import os
import re
import sys
import xml.etree.ElementTree

TEST_PY_LINE = re.compile(
    r"(\d+) of (\d+) tests passed \((\d+) passed, (\d+) skipped, (\d+) failed, "
    r"(\d+) crashed, (\d+) valgrind errors\)"
)


def ctest_counts(path):
    """Returns (passed, failed) of a JUnit file; skipped tests count as neither."""
    if not os.path.exists(path):
        return 0, 0
    suite = xml.etree.ElementTree.parse(path).getroot()
    total, failed, skipped, disabled = (
        int(suite.get(name, "0")) for name in ("tests", "failures", "skipped", "disabled")
    )
    return total - failed - skipped - disabled, failed


def ns3_counts(path):
    """Returns (passed, failed) of test.py's output; crashes count as failed."""
    passed = failed = 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for match in TEST_PY_LINE.finditer(file.read()):
            numbers = [int(number) for number in match.groups()]
            passed += numbers[2]
            failed += numbers[4] + numbers[5] + numbers[6]
    return passed, failed


def main():
    folder = sys.argv[1]
    google = ctest_counts(os.path.join(folder, "ctest.xml"))
    suites = ns3_counts(os.path.join(folder, "suites.txt"))
    examples = ns3_counts(os.path.join(folder, "examples.txt"))
    passed = google[0] + suites[0] + examples[0]
    failed = google[1] + suites[1] + examples[1]
    print(f"GoogleTest: {google[0]} passed, {google[1]} failed")
    print(f"ns-3 suites: {suites[0]} passed, {suites[1]} failed")
    print(f"ns-3 examples: {examples[0]} passed, {examples[1]} failed")
    for name, counts in (("GoogleTest", google), ("ns-3 suite", suites)):
        if sum(counts) == 0:
            print(f"no {name} ran at all: that counts as a failure")
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
