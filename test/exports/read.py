"""Reads exports as people do, and prints what they hold as JSON: `read.py datasets FILE` or `read.py spacy FILE`."""

import json
import sys
import warnings

warnings.filterwarnings("ignore")
kind, path = sys.argv[1:]

if kind == "datasets":
    from datasets import Dataset

    rows = Dataset.from_parquet(path, keep_in_memory=True, cache_dir=path + ".cache")
    print(json.dumps({"features": rows.features.to_dict(), "rows": rows.to_list()}))
else:
    import spacy
    from spacy.tokens import DocBin
    from spacy.training import Example

    nlp = spacy.blank("en")
    found = []
    with open(path, encoding="utf-8") as file:
        examples = [Example.from_dict(nlp.make_doc(text), annotations) for text, annotations in json.load(file)]
    docs = DocBin(docs=[example.reference for example in examples]).to_bytes()
    for doc in DocBin().from_bytes(docs).get_docs(nlp.vocab):
        found.append({"entities": [[span.text, span.label_] for span in doc.ents], "cats": doc.cats})
    print(json.dumps(found))
