# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Downloads one file: download.py ADDRESS FILE. Leaves no half file behind."""

import os
import shutil
import sys
import urllib.request


def main():
    address, target = sys.argv[1:3]
    part = target + ".part"
    try:
        with urllib.request.urlopen(address, timeout=20) as source, open(part, "wb") as sink:
            shutil.copyfileobj(source, sink)
        os.replace(part, target)
    except OSError as error:
        if os.path.exists(part):
            os.remove(part)
        print(f"E: {address}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
