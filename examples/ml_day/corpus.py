"""A small corpus of sentences, the same on every machine."""
import pathlib
import random

WHO = "the cat,a quiet engineer,our oldest node,the scheduler,every student,a tired operator,the new cluster,my neighbour".split(",")
DOES = "watches,repairs,forgets,trains,measures,moves,asks about,writes down,waits for".split(",")
WHAT = "the long queue,a small model,the last checkpoint,two thousand jobs,a cold machine,the night shift,an old letter,the weather".split(",")
WHEN = "before breakfast,in the evening,after the storm,every other week,while it rains,without a word,again and again,since march".split(",")


def write_corpus(directory, lines=2000, heldout=200):
    """Writes train.txt and heldout.txt, a sentence on each line."""
    draw = random.Random(2026)
    text = [" ".join(draw.choice(words) for words in (WHO, DOES, WHAT, WHEN)) + "\n" for _ in range(lines + heldout)]
    pathlib.Path(directory, "train.txt").write_text("".join(text[:lines]), encoding="ascii")
    pathlib.Path(directory, "heldout.txt").write_text("".join(text[lines:]), encoding="ascii")
