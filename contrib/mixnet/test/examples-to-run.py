#! /usr/bin/env python3

# Examples that test.py runs besides the test suites: (name and arguments, run, run under valgrind).
cpp_examples = []

# Python examples: (name, run).
python_examples = []
