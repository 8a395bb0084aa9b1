"""Entities or classes (the argument: entities, labels): spaCy from blank("en"), with its default network and optimizer.

Stops early: after each epoch the model is judged on the validation rows, and the best one is kept.
"""

import random
import sys
import warnings
from pathlib import Path
from tempfile import mkdtemp

import spacy
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from spacy.util import compounding, filter_spans, fix_random_seed

import trial

MAX_EPOCHS = 100
# Number of batches. Many classes make one slow: the weights of spaCy's default bag of words are 262,144 for each.
MAX_STEPS = {"entities": 2000, "labels": 1000}
# Batches grow from 100 to 1,000 words by this factor. spaCy's default is 1.001; the slow batches of classes grow faster.
GROWTH = {"entities": 1.001, "labels": 1.01}
# Epochs, and batches, without a better one after which training stops.
PATIENCE = 5
PATIENT_STEPS = 300

head = sys.argv[1]


class Model:
    def __init__(self, nlp):
        self.nlp = nlp

    def predict(self, texts):
        return [entities_in(doc) if head == "entities" else label_of(doc) for doc in self.nlp.pipe(texts)]

    def save(self, folder):
        self.nlp.to_disk(folder)


def entities_in(doc):
    """Returns entities without confidences, since the transition-based parser gives none."""
    return {"entities": [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in doc.ents]}


def label_of(doc):
    label = max(doc.cats, key=doc.cats.get)
    return {"labels": [label], "confidences": [float(doc.cats[label])]}


def examples_of(nlp, rows):
    labels = sorted({label for row in rows for label in row.get("labels", [])})
    for row in rows:
        doc = nlp.make_doc(row["text"])
        if head == "entities":
            # An entity that begins or ends within a token takes the whole token.
            spans = [doc.char_span(e["start"], e["end"], e["label"], alignment_mode="expand") for e in row["entities"]]
            spans = filter_spans([span for span in spans if span is not None])
            told = {"entities": [(span.start_char, span.end_char, span.label_) for span in spans]}
        else:
            told = {"cats": {label: float(label in row["labels"]) for label in labels}}
        yield Example.from_dict(doc, told)


def learn(train, validation):
    warnings.simplefilter("ignore")
    fix_random_seed(1)
    nlp = spacy.blank("en")
    nlp.add_pipe("ner" if head == "entities" else "textcat")
    examples = list(examples_of(nlp, train))
    optimizer = nlp.initialize(lambda: examples)
    sizes = compounding(100.0, 1000.0, GROWTH[head])
    best = Path(mkdtemp())
    best_score, stale_epochs, stale_steps, steps = -1.0, 0, 0, 0
    for _ in range(MAX_EPOCHS):
        random.shuffle(examples)
        for batch in minibatch_by_words(examples, size=sizes):
            nlp.update(batch, sgd=optimizer, drop=0.1)
            steps, stale_steps = steps + 1, stale_steps + 1
        if validation:
            guesses = Model(nlp).predict([row["text"] for row in validation])
            score = (trial.entity_f1 if head == "entities" else trial.accuracy)(validation, guesses)
            stale_epochs += 1
            # Of equally good epochs the last is kept: few validation rows cannot tell them apart.
            if score >= best_score:
                nlp.to_disk(best)
            if score > best_score:
                stale_epochs = stale_steps = 0
            best_score = max(score, best_score)
        if steps >= MAX_STEPS[head] or (validation and stale_epochs >= PATIENCE and stale_steps >= PATIENT_STEPS):
            break
    return Model(spacy.load(best) if validation else nlp)


trial.run(learn)
