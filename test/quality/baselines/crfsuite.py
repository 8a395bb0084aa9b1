"""Entities: CRFsuite (L-BFGS) with the usual features: the word, its case, shape and affixes, and its neighbours.

The two penalties are chosen on the validation rows, then the model learns from all rows. The confidence of an entity is the least
marginal probability of its tags.
"""

import re
from pathlib import Path
from tempfile import mkdtemp

import pycrfsuite

import trial

# (c1, c2) in order of preference: the first of those that are equally good is taken.
PENALTIES = ((0.1, 0.1), (0.1, 0.01), (0.01, 0.01), (0.5, 0.01), (0.01, 0.5))
# Rows that the penalties are chosen with; the chosen ones are used on all rows.
MAX_ROWS_TO_CHOOSE = 1000
MAX_ITERATIONS = 100

TOKEN = re.compile(r"\w+|[^\w\s]")


def tokens_of(text):
    return [(match.start(), match.end()) for match in TOKEN.finditer(text)]


def shape_of(word):
    shape = re.sub(r"[A-Z]", "X", re.sub(r"[a-z]", "x", re.sub(r"\d", "d", word)))
    return re.sub(r"(.)\1{2,}", r"\1\1", shape)


def features_of(text):
    words = [text[start:end] for start, end in tokens_of(text)]
    rows = []
    for at, word in enumerate(words):
        lower = word.lower()
        row = ["bias", f"word={word}", f"lower={lower}", f"shape={shape_of(word)}"]
        row += [f"prefix={lower[:n]}" for n in (1, 2, 3, 4)] + [f"suffix={lower[-n:]}" for n in (1, 2, 3, 4)]
        row += [name for name in ("isupper", "istitle", "isdigit") if getattr(word, name)()]
        for offset in (-2, -1, 1, 2):
            if 0 <= at + offset < len(words):
                other = words[at + offset]
                row += [f"{offset}:lower={other.lower()}", f"{offset}:shape={shape_of(other)}"]
            else:
                row.append(f"{offset}:none")
        if at > 0:
            row.append(f"-1,0:lower={words[at - 1].lower()} {lower}")
        if at + 1 < len(words):
            row.append(f"0,1:lower={lower} {words[at + 1].lower()}")
        rows.append(row)
    return rows


def tags_of(row):
    """Returns tags; an entity that begins or ends within a token takes the whole token."""
    tags = []
    for start, end in tokens_of(row["text"]):
        inside = next((span for span in row["entities"] if span["start"] < end and start < span["end"]), None)
        tags.append("O" if inside is None else f"{'B' if start <= inside['start'] else 'I'}-{inside['label']}")
    return tags


class Model:
    def __init__(self, rows, penalties):
        self.path = Path(mkdtemp()) / "model.crfsuite"
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.select("lbfgs")
        c1, c2 = penalties
        trainer.set_params({"c1": c1, "c2": c2, "max_iterations": MAX_ITERATIONS, "feature.possible_transitions": True})
        for row in rows:
            if features := features_of(row["text"]):
                trainer.append(features, tags_of(row))
        trainer.train(str(self.path))
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(str(self.path))

    def predict(self, texts):
        return [self.entities_in(text) for text in texts]

    def entities_in(self, text):
        entities, confidences = [], []
        features = features_of(text)
        if not features:
            return {"entities": entities, "confidences": confidences}
        self.tagger.set(features)
        before = "O"
        for at, (tag, (start, end)) in enumerate(zip(self.tagger.tag(), tokens_of(text))):
            sure = self.tagger.marginal(tag, at) if tag != "O" else None
            if tag != "O" and tag.startswith("I-") and before[2:] == tag[2:]:
                entities[-1]["end"] = end
                confidences[-1] = min(confidences[-1], sure)
            elif tag != "O":
                entities.append({"start": start, "end": end, "label": tag[2:]})
                confidences.append(sure)
            before = tag
        return {"entities": entities, "confidences": confidences}

    def save(self, folder):
        (folder / "model.crfsuite").write_bytes(self.path.read_bytes())


def learn(train, validation):
    if not validation:
        return Model(train, PENALTIES[0])
    some = train[:MAX_ROWS_TO_CHOOSE]
    texts = [row["text"] for row in validation]
    score = lambda penalties: trial.entity_f1(validation, Model(some, penalties).predict(texts))
    return Model(train + validation, max(PENALTIES, key=score))


trial.run(learn)
