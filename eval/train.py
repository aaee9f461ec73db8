"""Trains the block model from the dump of the evaluation tool.

    python train.py <eval tool> <data folder> <work folder>

Writes to the work folder one model per fold, trained without it (`0.bin` to `4.bin`), and one trained on
all pages (`model.bin`); prints the cross-validated figures from out-of-fold odds. Pages of one site are
always in one fold, nothing that scores a fold has seen its labels, and seeds are fixed.
"""

import hashlib
import json
import math
import struct
import subprocess
import sys
from pathlib import Path

import lightgbm
import numpy

FOLDS = 5
KINDS = ["article", "documentation", "service", "forum", "collection", "listing", "product"]
THREADS = 1
ROWS = 110_000  # number of blocks to train on
POWERS = 0.9, 0.6  # exponent of a block's word count in its weight, for each half of the model
KIND_WEIGHTS = 1.0, 1.0, 1.3, 1.3, 1.5, 1.5, 1.5  # extra weight by kind
MIN_PAGES, SHRINKAGE = 7, 4.0  # minimum pages per word; shrinkage in pages


class Dump:
    """The tables of the dump."""

    def __init__(self, folder):
        table = json.loads((folder / "pages.json").read_text())
        self.names = table["block"] + table["page"]
        self.pages = table["pages"]
        self.page_count = len(table["page"])
        width = len(self.names)
        self.features = numpy.memmap(folder / "features.i16", dtype="<i2", mode="r").reshape(-1, width)
        self.labels = numpy.fromfile(folder / "labels.f32", dtype="<f4")
        self.words = numpy.fromfile(folder / "words.u32", dtype="<u4").astype(numpy.float64)
        rows = [page["rows"] for page in self.pages]
        self.page_of = numpy.repeat(numpy.arange(len(rows)), rows)
        self.start = numpy.concatenate([[0], numpy.cumsum(rows)])
        self.truth = numpy.array([page["truth"] for page in self.pages], dtype=numpy.float64)
        self.kinds = numpy.array([KINDS.index(page["kind"]) for page in self.pages])
        self.fold = numpy.array([fold_of(page["site"] or page["id"]) for page in self.pages])
        self.page_features = numpy.array([page["page"] for page in self.pages], dtype=numpy.float32)


def fold_of(site):
    """The same as in `src/folds.rs`."""
    return int(hashlib.sha256(site.encode()).hexdigest(), 16) % FOLDS


def weights(dump, power):
    """Blocks are weighted by their words, pages equally, except that harder kinds weigh somewhat more."""
    total = numpy.bincount(dump.page_of, dump.words, minlength=len(dump.pages))
    page = 0.5 * dump.truth + 0.5 * total
    weight = dump.words**power / numpy.maximum(page, 100)[dump.page_of] ** power
    weight[dump.truth[dump.page_of] == 0] = 0
    weight *= numpy.array(KIND_WEIGHTS)[dump.kinds[dump.page_of]]
    return weight / weight[weight > 0].mean()


def kind_model(dump, pages):
    """The model of a page's kind, from the page's features alone."""
    data = lightgbm.Dataset(dump.page_features[pages], dump.kinds[pages])
    parameters = dict(
        objective="multiclass", num_class=len(KINDS), num_leaves=7, learning_rate=0.08, min_data_in_leaf=8,
        feature_fraction=0.4, bagging_fraction=0.8, bagging_freq=1, seed=7, verbose=-1, num_threads=THREADS,
    )
    return lightgbm.train(parameters, data, num_boost_round=60)


def sample(weight, rows, seed=11):
    """Which rows to train on, and their weights: light rows are sampled with a probability equal to their
    weight and count for more, which keeps the sum and makes training cheap."""
    low, high = 0.0, weight.max()
    for _ in range(40):
        middle = (low + high) / 2
        if numpy.minimum(1, weight / middle).sum() > rows:
            low = middle
        else:
            high = middle
    chance = numpy.minimum(1, weight / high)
    keep = numpy.random.default_rng(seed).random(len(weight)) < chance
    return keep, weight[keep] / chance[keep]


def block_trees(features, labels, weight, rounds, leaves, extra):
    keep, weight = sample(weight, ROWS)
    data = lightgbm.Dataset(features[keep], labels[keep], weight=weight, params=dict(max_bin=63))
    parameters = dict(
        objective="cross_entropy", num_leaves=leaves, learning_rate=0.1, min_data_in_leaf=60, max_bin=63,
        feature_fraction=0.3, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5.0, extra_trees=extra, seed=7,
        verbose=-1, num_threads=THREADS,
    )
    return lightgbm.train(parameters, data, num_boost_round=rounds)


class Blocks:
    """The block model: two ensembles grown differently, whose odds are averaged."""

    def __init__(self, features, labels, weights):
        self.halves = [
            block_trees(features, labels, weights[0], rounds=180, leaves=32, extra=False),
            block_trees(features, labels, weights[1], rounds=180, leaves=32, extra=True),
        ]

    def odds(self, features):
        return sum(half.predict(features, raw_score=True) for half in self.halves) / len(self.halves)

    def trees(self):
        return [(splits, [leaf / len(self.halves) for leaf in leaves]) for half in self.halves for splits, leaves in trees(half)]


SCENARIOS = (0.0, 2 / 3), (-3.46, 1 / 6), (3.46, 1 / 6)  # the same as in `choice.rs`


def proxy(dump, odds, pages):
    """A quick approximation of the real score: F1 by labels, cut where its expectation is best."""
    scores = numpy.zeros(len(pages))
    for number, page in enumerate(pages):
        rows = slice(dump.start[page], dump.start[page + 1])
        truth = dump.truth[page]
        if rows.start == rows.stop or truth == 0:
            scores[number] = numpy.nan
            continue
        order = numpy.argsort(-odds[rows])
        given, words, label = odds[rows][order], dump.words[rows][order], dump.labels[rows][order]
        taken, expected = numpy.cumsum(words), 0
        for shift, share in SCENARIOS:
            hit = numpy.cumsum(words / (1 + numpy.exp(-given - shift)))
            expected += share * 2 * hit / (taken + hit[-1])
        cut = numpy.argmax(expected) + 1
        real = (label * words)[:cut].sum()
        scores[number] = 2 * real / (taken[cut - 1] + truth)
    return scores


def show(dump, scores, pages, title):
    print(f"{title}: {numpy.nanmean(scores):.4f}", end="")
    for number, kind in enumerate(KINDS):
        print(f"  {kind[:5]} {numpy.nanmean(scores[dump.kinds[pages] == number]):.3f}", end="")
    print(flush=True)


class Words:
    """Learned words: how much each suggests that what it applies to is content."""

    def __init__(self, folder, fold):
        kind = numpy.dtype([("page", "<u4"), ("key", "<u4"), ("share", "<f4")])
        uses = numpy.fromfile(folder / "uses.bin", dtype=kind)
        self.keys, number = numpy.unique(uses["key"], return_inverse=True)
        self.count = numpy.zeros((FOLDS, len(self.keys)))
        self.share = numpy.zeros((FOLDS, len(self.keys)))
        folds = fold[uses["page"]]
        numpy.add.at(self.count, (folds, number), 1)
        numpy.add.at(self.share, (folds, number), uses["share"])

    def table(self, left_out):
        """The words known without these folds, as bytes: key and weight."""
        used = [fold for fold in range(FOLDS) if fold not in left_out]
        count, share = self.count[used].sum(0), self.share[used].sum(0)
        usual = share.sum() / count.sum()
        odds = numpy.log((share + SHRINKAGE * usual) / (count - share + SHRINKAGE * (1 - usual))) - numpy.log(usual / (1 - usual))
        weight = numpy.clip(numpy.round(odds * 24), -127, 127).astype(numpy.int8)
        keep = (count >= MIN_PAGES) & (numpy.abs(weight) >= 8)
        table = numpy.zeros(keep.sum(), dtype=[("key", "<u4"), ("weight", "i1")])
        table["key"], table["weight"] = self.keys[keep], weight[keep]
        return table.tobytes()


class Work:
    """The steps of training; expensive results are kept in the work folder."""

    def __init__(self, tool, data, folder):
        self.tool, self.data, self.folder = tool, data, folder
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "plain" / "pages.json").exists():
            self.run("dump", folder / "plain")
        self.dump = Dump(folder / "plain")
        self.weights = [weights(self.dump, power) for power in POWERS]
        self.pages = numpy.arange(len(self.dump.pages))
        self.words = Words(folder / "plain", self.dump.fold)

    def run(self, *arguments):
        subprocess.run([self.tool, self.data, *map(str, arguments)], check=True)

    def rows(self, folds):
        return numpy.isin(self.dump.fold, folds)[self.dump.page_of]

    def features(self, left_out):
        """Features of all rows; each page is read with words, and its kind guessed by trees, that were
        learned neither from its own fold nor from those left out."""
        tables = self.folder / "tables"
        tables.mkdir(exist_ok=True)
        for fold in range(FOLDS):
            (tables / f"{fold}.table").write_bytes(self.words.table(sorted({fold, *left_out})))
        (tables / "choice.u8").write_bytes(self.dump.fold.astype(numpy.uint8).tobytes())
        out = self.folder / "read"
        self.run("dump", out, tables)
        kinds = numpy.zeros((len(self.pages), len(KINDS)), dtype=numpy.int16)
        for fold in range(FOLDS):
            pages = self.dump.fold == fold
            kinds[pages] = self.kinds(sorted({fold, *left_out})).predict(self.dump.page_features[pages]) * 255
        return numpy.hstack([Dump(out).features, kinds[self.dump.page_of]])

    def blocks(self, features, left_out):
        """The block model, trained without these folds."""
        rows = ~self.rows(left_out)
        return Blocks(features[rows], self.dump.labels[rows], [weight[rows] for weight in self.weights])

    def kinds(self, left_out):
        return kind_model(self.dump, self.pages[~numpy.isin(self.dump.fold, left_out)])

    def score(self, title, odds):
        show(self.dump, proxy(self.dump, odds, self.pages), self.pages, title)

    def export(self, blocks, left_out, name):
        size = export(self.kinds(left_out), blocks, self.words.table(left_out), self.folder / name)
        print(f"{name}: {size} bytes", flush=True)


def main():
    work = Work(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    dump = work.dump
    odds = numpy.zeros(len(dump.labels), dtype=numpy.float32)
    correct = numpy.zeros(len(dump.pages), dtype=bool)
    for fold in range(FOLDS):
        # Nothing that scores this fold has seen its labels: words are learned without it too, and every
        # training page is read with words learned without its own fold.
        features = work.features([fold])
        test, pages = work.rows([fold]), dump.fold == fold
        model = work.blocks(features, [fold])
        odds[test] = model.odds(features[test])
        correct[pages] = work.kinds([fold]).predict(dump.page_features[pages]).argmax(1) == dump.kinds[pages]
        show(dump, proxy(dump, odds, work.pages[pages]), work.pages[pages], f"fold {fold} (proxy)")
        work.export(model, [fold], f"{fold}.bin")
    print(f"kinds correct: {correct.mean():.3f}")
    importance(model.halves[0], dump.names + KINDS)
    work.score("all folds (proxy)", odds)
    odds.astype("<f4").tofile(work.folder / "odds.f32")
    work.run("odds", work.folder / "odds.f32")
    features = work.features([])
    work.export(work.blocks(features, []), [], "model.bin")


def importance(model, names):
    gain = sorted(zip(model.feature_importance("gain"), names), reverse=True)
    print("  ", [f"{name} {value / gain[0][0]:.3f}" for value, name in gain[:40]], flush=True)


def trees(booster):
    """The trees of a booster: per tree its splits and leaves."""
    found = []
    for part in booster.model_to_string().split("\nTree=")[1:]:
        fields = dict(line.split("=", 1) for line in part.splitlines() if "=" in line)
        numbers = lambda key, kind: [kind(value) for value in fields.get(key, "").split()]
        leaves = numbers("leaf_value", float)
        splits = []
        if len(leaves) > 1:
            bounds = [max(-32768, min(32767, math.floor(value))) for value in numbers("threshold", float)]
            splits = list(zip(numbers("split_feature", int), bounds, numbers("left_child", int), numbers("right_child", int)))
        found.append((splits, leaves))
    return found


def export(kinds, blocks, words, path):
    """Writes the ensembles and words in the format that `model.rs` reads."""
    of_kinds = trees(kinds)
    ensembles = [of_kinds[number :: len(KINDS)] for number in range(len(KINDS))] + [blocks.trees()]
    out = bytearray(struct.pack("<H", len(ensembles)))
    for ensemble in ensembles:
        scale = max(abs(leaf) for _, leaves in ensemble for leaf in leaves) / 32767 or 1.0
        out += struct.pack("<fH", scale, len(ensemble))
        for splits, leaves in ensemble:
            out += struct.pack("<H", len(splits))
            for split in splits:
                out += struct.pack("<Hhhh", *split)
            out += struct.pack(f"<{len(leaves)}h", *(round(leaf / scale) for leaf in leaves))
    out += struct.pack("<I", len(words) // 5) + words
    path.write_bytes(out)
    return len(out)


if __name__ == "__main__":
    main()
