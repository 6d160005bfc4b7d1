"""
Spam: a filter that learns while it works
=========================================

Every message is classified when it arrives, and only then is its label revealed. The share of
errors, counted from the first message on, is therefore measured on messages that the filter has not
seen. Lecture rows L2.11 and L2.4.

The messages are the SMS Spam Collection v.1 of Almeida and Hidalgo (CC BY 4.0): 5,574 of them, 747
spam, in the order of their file. The first thousand are beside this script, in
``messages.tsv.xz``. For all of them the script looks for ``sms_spam/SMSSpamCollection.xz`` in the
folder that the environment variable ``ROSENBLATT_DATA`` names, else in a folder ``shared/data``
next to the checkout.
"""  # noqa: D205, D400

# %%
# **Words.** A feature says whether a word occurs, not how often: most words occur once in a
# message, and a word that is repeated ten times should not move its weight ten times as far.
# Every digit is replaced by 0, so that all telephone numbers of eleven digits are one word; a
# punctuation mark is a word, too.
#
# A word gets its weight at its first occurrence: the weight of an unseen word is 0.
from __future__ import annotations

import lzma
import os
import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import OnlinePerceptron
from rosenblatt.plots import style
from rosenblatt.plots.style import BLUE, GREY, INK, PALE, VERMILION
from rosenblatt.progressive import anytime_interval


def words(message):
    """Return the words of a message, each with 1, in the order of first occurrence."""
    return dict.fromkeys(re.findall(r"\w+|[^\w\s]", re.sub(r"\d", "0", message.lower())), 1)


# %%
# **Predict, then learn.** The first prediction is ham, and so is the prediction for a score of 0.
FILTERS = {
    "perceptron": OnlinePerceptron(),
    "averaged": OnlinePerceptron(output="average"),
    "PA-I": OnlinePerceptron(rule="pa1"),
}


def sort_in_order(model, rows, kinds):
    """Return which messages are sorted out as spam, each before its label is learned."""
    said = np.zeros(len(kinds), bool)
    for i, (row, kind) in enumerate(zip(rows, kinds, strict=True)):
        said[i] = model.predict_one(row) == "spam"
        model.learn_one(row, kind)
    return said


# %%
# **The errors.** Always predicting ham is wrong on all spam. The interval holds at all times at
# once, without assumptions about the messages. The two kinds of errors differ in cost: spam in
# the inbox is a nuisance, ham in the spam folder is lost.
def account(spam, verdicts):
    """Print the table of all filters."""
    print(f"{len(spam):,} messages; always predicting ham is wrong on {spam.mean():.1%}")
    for name, said in verdicts.items():
        wrong = int((said != spam).sum())
        low, high = anytime_interval(wrong, len(spam))
        late = (said != spam)[-500:].mean()
        print(f"{name:10}  {wrong / len(spam):.2%} wrong ({low:.1%} to {high:.1%});", end=" ")
        print(f"{late:.1%} of the last 500;")
        print(f"{'':10}  {(said & ~spam).sum()} ham lost, {(spam & ~said).sum()} spam missed")


# %%
# **The picture.** The error so far, with the interval of the last filter; the two kinds of
# errors; and the words with the largest averaged weights.
LINES = ({"color": GREY}, {"color": GREY, "linestyle": "dashed"}, {"color": INK, "linewidth": 2})


def draw_errors(axes, spam, verdicts):
    """Draw the error so far."""
    style.title(axes, "The error falls while it works", "error so far, %; 95 % interval of PA-I")
    met = np.arange(1, len(spam) + 1)
    axes.plot(met, 100 * np.cumsum(spam) / met, color=INK, linestyle="dotted", label="all for ham")
    for (name, said), look in zip(verdicts.items(), LINES, strict=True):
        axes.plot(met, 100 * np.cumsum(said != spam) / met, label=name, **look)
    some = np.unique(np.geomspace(50, len(spam), 80).astype(int))
    wrong = np.cumsum(verdicts["PA-I"] != spam)
    band = 100 * np.array([anytime_interval(int(wrong[n - 1]), int(n)) for n in some])
    axes.fill_between(some, *band.T, color=PALE, linewidth=0)
    axes.set(xscale="log", xlim=(50, len(spam)), ylim=(0, 20), xlabel="messages")
    ticks = [n for n in (50, 100, 200, 500, 1000, 2000, 5000) if n <= len(spam)]
    axes.set_xticks(ticks, [f"{n:,}" for n in ticks])
    axes.minorticks_off()
    axes.set_yticks([0, 5, 10, 15, 20])
    axes.legend(frameon=False)


def draw_mistakes(axes, spam, verdicts):
    """Draw the number of lost ham and of missed spam."""
    style.title(axes, "Two kinds of errors", f"of {(~spam).sum():,} ham, {spam.sum()} spam")
    counts = [[(said & ~spam).sum(), (spam & ~said).sum()] for said in verdicts.values()]
    kinds = zip(np.transpose(counts), (BLUE, VERMILION), ("ham lost", "spam missed"), strict=True)
    for shift, (count, colour, kind) in zip((-0.2, 0.2), kinds, strict=True):
        bars = axes.bar(np.arange(3) + shift, count, 0.36, color=colour, label=kind)
        axes.bar_label(bars, fontsize=9)
    axes.set_xticks(range(3), list(verdicts), fontsize=9)
    axes.set(yticks=[], ylim=(0, 1.15 * np.max(counts)))
    axes.legend(frameon=False, fontsize=9, loc="upper center", ncols=2)


def draw_words(axes, weights, heaviest=12):
    """Draw the words with the largest weights."""
    style.title(axes, "The heaviest words", "of ham (left) and of spam (right)")
    ordered = sorted(weights.items(), key=lambda pair: pair[1])
    names, sizes = zip(*ordered[:heaviest], *ordered[-heaviest:], strict=True)
    axes.barh(np.arange(len(names)), sizes, color=np.repeat([BLUE, VERMILION], heaviest))
    axes.set_yticks(np.arange(len(names)), names)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set(xticks=[], xlabel="weight")


# %%
# **Run.** All messages if they are there, else the first thousand.
named = os.environ.get("ROSENBLATT_DATA")
folders = [Path(named)] if named else [up / "shared" / "data" for up in Path.cwd().parents]
shipped = Path(globals().get("__file__", "here")).with_name("messages.tsv.xz")
files = [*(folder / "sms_spam" / "SMSSpamCollection.xz" for folder in folders), shipped]
file = next(file for file in files if file.exists())
with lzma.open(file, "rt", encoding="utf-8", newline="\n") as lines:
    kinds, messages = zip(*(line.rstrip("\n").split("\t", 1) for line in lines), strict=True)
rows, spam = [words(message) for message in messages], np.array(kinds) == "spam"
verdicts = {name: sort_in_order(model, rows, kinds) for name, model in FILTERS.items()}
account(spam, verdicts)
figure = style.figure(13, 5.6)
panels = [figure.add_subplot(1, 3, place) for place in (1, 2, 3)]
for axes in panels:
    style.open_frame(axes)
draw_errors(panels[0], spam, verdicts)
draw_mistakes(panels[1], spam, verdicts)
draw_words(panels[2], FILTERS["averaged"].weights_of("spam"))
plt.show()
