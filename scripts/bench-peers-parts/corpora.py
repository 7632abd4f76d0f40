"""The texts that scripts/bench-peers searches, made when they are missing, and lists of what is in them."""

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path


def sh(command, **options):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, **options)


def make_tree(place):
    partial = place.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    sh(["tar", "-xf", "/usr/src/linux-source-6.1.tar.xz", "-C", str(partial), "--strip-components=1"])
    partial.rename(place)


def make_source(place, tree):
    partial = place.with_suffix(".partial")
    with open(partial, "wb") as out:
        for path in sorted(tree.rglob("*.[chS]")):
            if path.is_file() and not path.is_symlink():
                out.write(path.read_bytes())
    partial.rename(place)


def make_data(place, kind, size, mrbench):
    sh([mrbench, "data", "--kind", kind, "--size", size, "--seed", "1", "-o", str(place)],
       stdout=subprocess.DEVNULL)


def make_cyrillic(place, bytes_wanted):
    manuals = sorted(Path("/usr/share/man/ru").rglob("*.gz"))
    text = subprocess.run(["zcat"] + [str(path) for path in manuals], check=True,
                          stdout=subprocess.PIPE).stdout
    if not text:
        raise SystemExit("bench-peers: manpages-ru has no pages in /usr/share/man/ru")
    partial = place.with_suffix(".partial")
    with open(partial, "wb") as out:
        while out.tell() < bytes_wanted:
            out.write(text)
    partial.rename(place)


def make_list(place, count, source, pattern):
    """Different texts that match the pattern and that the source does hold, at random, so that lists
    of all sizes find some. More of the source is read when its beginning does not hold enough."""
    found = set()
    with open(source, "rb") as file:
        for pieces in range(1 << 20):
            piece = file.read(1 << 20)
            if not piece or (pieces >= 64 and len(found) >= 2 * count):
                break
            found.update(re.findall(pattern, piece))
    if len(found) < count:
        raise SystemExit(f"bench-peers: {source} holds only {len(found)} of {count} for {place}")
    chosen = sorted(found)
    random.Random(1).shuffle(chosen)
    place.write_bytes(b"\n".join(chosen[:count]) + b"\n")


def corpora(directory, size, mrbench):
    directory.mkdir(parents=True, exist_ok=True)
    places = {name: directory / file for name, file in {
        "tree": "tree", "source": "source.c", "prose": "prose.txt", "log": "access.log",
        "oneline": "oneline.json", "part": "part.c", "cyrillic": "cyrillic.txt", "small": "small.c",
        "hundred": "hundred"}.items()}
    makers = {
        "tree": lambda place: make_tree(place),
        "source": lambda place: make_source(place, places["tree"]),
        "part": lambda place: place.write_bytes(places["source"].open("rb").read(100_000_000)),
        "prose": lambda place: make_data(place, "prose", size, mrbench),
        "log": lambda place: make_data(place, "log", size, mrbench),
        "oneline": lambda place: make_data(place, "oneline", size, mrbench),
        "cyrillic": lambda place: make_cyrillic(place, 256 << 20),
        "small": lambda place: place.write_bytes(places["source"].open("rb").read(4000)),
        "hundred": lambda place: shutil.copytree(places["tree"] / "kernel" / "sched", place),
    }
    for name, make in makers.items():
        if not places[name].exists():
            print(f"Making {places[name]}", file=sys.stderr)
            make(places[name])
    lists = {}
    word = rb"[A-Za-z_]{9,}"
    for name, file, count, pattern in ((1000, "words.1000", 1000, word),
                                       (10000, "words.10000", 10000, word),
                                       (100000, "words.100000", 100000, word),
                                       ("lines", "lines", 1000, rb"(?m)^[\t -~]{9,}$")):
        place = directory / file
        if not place.exists():
            make_list(place, count, places["source"], pattern)
        lists[name] = str(place)
    return places, lists


def corpus_bytes(place):
    if place.is_file():
        return place.stat().st_size
    return sum(path.stat().st_size for path in place.rglob("*")
               if path.is_file() and not path.is_symlink())
