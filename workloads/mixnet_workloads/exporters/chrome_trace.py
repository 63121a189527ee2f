# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The trace-event format of Chrome: tracks (threads) in processes, on each events in order of time."""

import json
import math


class Timeline:
    """Tracks with their events; processes are shown run by run, in the order of coming."""

    def __init__(self):
        self._tracks, self._processes = {}, {}
        self.events = 0

    def add(self, run, process, track, name, start, end, arrow=None, **arguments):
        """An event, in ps; an end of None is an instant, one before the start (cut off) is the start. An arrow is
        (number, True where it begins or False where it ends, time within the event)."""
        end = end if end is None else max(start, end)
        self._processes.setdefault(process, (len(self._processes) + 1, run))
        self._tracks.setdefault((process, track), []).append((start, end, name, arguments, arrow))

    def write(self, out):
        """One event a line, tracks one after the other, in each by time."""
        out.write('{"displayTimeUnit":"ns","traceEvents":[\n')
        for number, line in enumerate(self._lines()):
            out.write((",\n" if number else "") + line)
        out.write("\n]}\n")

    def _lines(self):
        shown = sorted(self._processes.items(), key=lambda entry: (entry[1][1], entry[1][0]))
        for place, (process, (number, _)) in enumerate(shown):
            yield _text(ph="M", pid=number, name="process_name", args={"name": process})
            yield _text(ph="M", pid=number, name="process_sort_index", args={"sort_index": place})
        thread = 0
        for (process, track), events in self._tracks.items():
            for lane, members in enumerate(_lanes(events)):
                thread += 1
                place = {"pid": self._processes[process][0], "tid": thread}
                yield _text(ph="M", **place, name="thread_name",
                            args={"name": track + (f" ({lane + 1})" if lane else "")})
                yield _text(ph="M", **place, name="thread_sort_index", args={"sort_index": thread})
                for start, end, name, arguments, arrow in members:
                    self.events += 1
                    yield _event(place, start, end, name, arguments)
                    if arrow is not None:
                        yield _arrow(place, *arrow)


def _plain(value):
    """JSON has neither NaN nor infinity."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _text(**fields):
    return json.dumps(_plain(fields), allow_nan=False, ensure_ascii=False, separators=(",", ":"))


def _event(place, start, end, name, arguments):
    """Numbers with six decimals are written as text: a float would lose them late in a run."""
    kind = '"ph":"i","s":"t"' if end is None else f'"ph":"X","dur":{_micros(end - start)}'
    return (f'{{{kind},"ts":{_micros(start)},"pid":{place["pid"]},"tid":{place["tid"]},'
            f'"name":{json.dumps(name, ensure_ascii=False)},"args":{_text(**arguments)}}}')


def _arrow(place, number, begins, at):
    kind = '"ph":"s"' if begins else '"ph":"f","bp":"e"'
    return (f'{{{kind},"id":{number},"ts":{_micros(at)},"pid":{place["pid"]},"tid":{place["tid"]},'
            f'"cat":"message","name":"message"}}')


def _micros(ps):
    return f"{ps // 10**6}.{ps % 10**6:06d}"


def _lanes(events):
    """Splits events so that none overlaps another of its lane; each in order of start."""
    lanes = []
    for event in sorted(events, key=lambda entry: (entry[0], entry[1] if entry[1] is not None else 0)):
        for lane in lanes:
            if lane[0] <= event[0]:
                break
        else:
            lane = [0, []]
            lanes.append(lane)
        lane[0] = event[0] if event[1] is None else event[1]
        lane[1].append(event)
    return [members for _, members in lanes]
