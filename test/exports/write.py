"""Writes tables as people have them, of rows in a JSON file: `write.py ROWS.json FOLDER`."""

import json
import os
import shutil
import sys
import warnings

warnings.filterwarnings("ignore")
import pyarrow
from datasets import ClassLabel, Dataset, Features, List, Value
from pyarrow import feather, ipc

rows_path, folder = sys.argv[1:]
with open(rows_path, encoding="utf-8") as file:
    rows = json.load(file)
os.chdir(folder)

tags = sorted({tag for row in rows for tag in row["ner_tags"]})
features = Features(
    {"tokens": List(Value("string")), "ner_tags": List(ClassLabel(names=tags)), "id": Value("int64")}
)
data = Dataset.from_list(rows, features=features)
data.save_to_disk("saved", num_shards=3)
shutil.make_archive("saved", "zip", ".", "saved")
shutil.copy("saved/data-00000-of-00003.arrow", "shard.arrow")

table = data.data.table.combine_chunks()
for codec in ("uncompressed", "lz4", "zstd"):
    feather.write_feather(table, f"{codec}.feather", compression=codec, chunksize=2000)
with ipc.new_stream("stream.arrows", table.schema) as writer:
    writer.write_table(table, max_chunksize=7)

typed = pyarrow.table(
    {
        "text": pyarrow.array(["Ada", "Bob"], pyarrow.large_string()),
        "view": pyarrow.array(["a view that is longer than twelve bytes", None], pyarrow.string_view()),
        "label": pyarrow.array(["x", "y"]).dictionary_encode(),
        "at": pyarrow.array([1704164645678901, None], pyarrow.timestamp("us", tz="Europe/Berlin")),
        "nanos": pyarrow.array([1, 1_500_000_000], pyarrow.timestamp("ns")),
        "clock": pyarrow.array([3723000000, 0], pyarrow.time64("us")),
        "pairs": pyarrow.array([[("a", 1)], []], pyarrow.map_(pyarrow.string(), pyarrow.int32())),
        "fixed": pyarrow.array([[1, 2], None], pyarrow.list_(pyarrow.int8(), 2)),
        "wide": pyarrow.array([2**60, -1], pyarrow.int64()),
        "half": pyarrow.array([1.5, float("nan")], pyarrow.float32()),
    }
)
feather.write_feather(typed, "typed.feather")
