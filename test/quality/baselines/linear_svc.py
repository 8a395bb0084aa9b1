"""Classes: scikit-learn's LinearSVC on tf-idf of words 1-2 and characters 3-5.

The cost is chosen on the validation rows, then the model learns from all rows. Confidences are the softmax of the margins, with a
temperature fitted on the validation rows: CalibratedClassifierCV needs several rows of every class.
"""

import joblib
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

import trial

# In order of preference: the first of those that are equally good is taken.
COSTS = (1, 10, 0.1)


def fitted(rows, cost):
    features = make_union(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"(?u)\w+"),
        TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True),
    )
    pipeline = make_pipeline(features, LinearSVC(C=cost, random_state=0))
    return pipeline.fit([row["text"] for row in rows], [row["labels"][0] for row in rows])


class Model:
    def __init__(self, pipeline, temperature=1.0):
        self.pipeline = pipeline
        self.temperature = temperature

    def margins(self, texts):
        margins = self.pipeline.decision_function(texts)
        return margins if margins.ndim == 2 else np.stack([-margins, margins], axis=1)

    def predict(self, texts):
        probabilities = softmax(self.margins(texts) / self.temperature, axis=1)
        best = probabilities.argmax(axis=1)
        return [
            {"labels": [str(self.pipeline.classes_[label])], "confidences": [float(row[label])]}
            for row, label in zip(probabilities, best)
        ]

    def save(self, folder):
        joblib.dump(self.pipeline, folder / "model.joblib")


def fitted_temperature(model, rows):
    classes = list(model.pipeline.classes_)
    rows = [row for row in rows if row["labels"][0] in classes]
    if not rows:
        return 1.0
    margins = model.margins([row["text"] for row in rows])
    gold = [classes.index(row["labels"][0]) for row in rows]
    loss = lambda log_t: -log_softmax(margins / np.exp(log_t), axis=1)[range(len(gold)), gold].mean()
    return float(np.exp(minimize_scalar(loss, bounds=(-4, 2), method="bounded").x))


def learn(train, validation):
    if not validation:
        return Model(fitted(train, COSTS[0]))
    models = {cost: Model(fitted(train, cost)) for cost in COSTS}
    texts = [row["text"] for row in validation]
    cost = max(COSTS, key=lambda cost: trial.accuracy(validation, models[cost].predict(texts)))
    return Model(fitted(train + validation, cost), fitted_temperature(models[cost], validation))


trial.run(learn)
