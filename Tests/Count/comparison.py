"""Figures beside those that the repository has on record."""

import json
import os
import platform
import subprocess

RECORD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.json")
TOLERANCE = 0.02
# An array that grows once in the work must not count: an allocation in so few events is none.
ALLOCATIONS = 0.02


def said(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")[0].strip()


def toolchain(swift):
    """What other figures can come from than changed code."""
    version = next(word for word in said(swift, "--version").split("version ")[1].split())
    return {"architecture": platform.machine(), "swift": version, "libc": " ".join(platform.libc_ver()), "valgrind": said("valgrind", "--version")}


def change(then, now):
    """How much more it is now. More than nothing is twice as much."""
    return now / then - 1 if then else float(now > 0)


def table(record, figures):
    rows = [("figure", "record", "now", "change")]
    for name, now in figures.items():
        then = record.get(name)
        rows.append((name, "", f"{now:,}", "new") if then is None else (name, f"{then:,}", f"{now:,}", f"{change(then, now):+.1%}"))
    rows += [(name, f"{then:,}", "", "gone") for name, then in record.items() if name not in figures]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join([row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]) for row in rows)


def differs(name, then, now):
    """-1 for better, 1 for worse, and 0 within the tolerance."""
    if name.endswith(": allocations") and abs(now - then) < ALLOCATIONS:
        return 0
    return 0 if abs(change(then, now)) <= TOLERANCE else 1 if now > then else -1


def verdict(record, figures):
    """Returns a sentence and the exit status."""
    differences = {name: differs(name, record[name], now) for name, now in figures.items() if name in record}
    worse = [name for name, difference in differences.items() if difference > 0]
    better = [name for name, difference in differences.items() if difference < 0]
    if worse:
        return (f"More than {TOLERANCE:.0%} worse: {'; '.join(worse)}. Find the cause with `git bisect` or callgrind_annotate and remove it; "
                "if it is worth its price, run `make count WRITE=1` and give the reason in the commit.", 1)
    if better or record.keys() != figures.keys():
        return (f"{'; '.join(better) or 'The list of figures'} changed for the better or is new: run `make count WRITE=1` and commit "
                "Tests/Count/figures.json, so that the gain cannot be lost.", 0)
    return f"All within {TOLERANCE:.0%} of the record.", 0


def compare(figures, swift):
    """Prints the table, and returns the exit status."""
    with open(RECORD) as file:
        stored = json.load(file)
    print(table(stored["figures"], figures))
    here, there = toolchain(swift), stored["toolchain"]
    differing = [f"{key} is {here.get(key)}, the record has {there[key]}" for key in there if here.get(key) != there[key]]
    if differing:
        print(f"Not judged: {'; '.join(differing)}.")
        return 0
    sentence, status = verdict(stored["figures"], figures)
    print(sentence)
    return status


def write(figures, swift):
    with open(RECORD, "w") as file:
        json.dump({"toolchain": toolchain(swift), "figures": figures}, file, indent=2)
        file.write("\n")
    print(f"wrote {os.path.relpath(RECORD)}")
