"""Tiny random models of the package `gliner2` as it saves them, and its own answers by way of the torch engine.

python tiny.py write FOLDER KIND          writes a model of one of KINDS
python tiny.py answer FOLDER CALLS        answers the calls of a file, a JSON list, with the model in the folder
python tiny.py record FOLDER              writes the fixtures: a model of each kind, and the answers to CALLS

Needs the Python of the torch engine, with gpu-runner/engines/torch/python in PYTHONPATH.
Made with gliner2 2.1.0, transformers 5.23.0 and torch 2.15.0.
"""

import base64
import gzip
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch
from anneal_runner.bases import BaseFacts
from anneal_runner.encoders.gliner import GlinerPlan, answer, encode_for, load_gliner
from anneal_runner.encoders.schema import read_schema
from anneal_runner.errors import RunnerError
from gliner2.configuration import ExtractorConfig
from gliner2.inference.engine import SpanExtractor
from safetensors.torch import load_file, save_file
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import DebertaV2Config, PreTrainedTokenizerFast

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?'-"
SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
V3 = {"relative_attention": True, "position_biased_input": False, "pos_att_type": "p2c|c2p"}
KINDS: dict[str, dict[str, Any]] = {
    # Like DeBERTa-v3, whose configuration these are.
    "lstm": {
        "counting_layer": "count_lstm",
        "dtype": torch.float32,
        "score_scale": 1 / 32,
        "encoder": V3 | {"position_buckets": 8, "share_att_key": True, "norm_rel_ebd": "layer_norm", "max_relative_positions": -1},
    },
    "v2": {
        "counting_layer": "count_lstm_v2",
        "dtype": torch.float16,
        "score_scale": 1,
        "encoder": V3 | {"pos_att_type": ["c2p"], "max_relative_positions": 16, "hidden_act": "gelu_new"},
    },
    # Like DeBERTa-v2, with everything that it may have.
    "moe": {
        "counting_layer": "count_lstm_moe",
        "dtype": torch.bfloat16,
        "score_scale": 1 / 16,
        "encoder": V3
        | {"position_biased_input": True, "type_vocab_size": 2, "conv_kernel_size": 3, "conv_act": "gelu", "embedding_size": 6}
        | {"position_buckets": 4, "norm_rel_ebd": "layer_norm", "hidden_act": "relu", "layer_norm_eps": 1e-5},
    },
}
TEXTS = [
    "Ada met Bob in Rome.",
    "😀 Ada lives in 東京, not in São-Paulo — since 3 May! Ask ada@example.com or @ada_l, see https://example.com/a?b=1.",
    "étude de café x_y-z: well-known\u00a0word ❤️ İstanbul",
    "a",
]
ENTITIES = [{"name": "person"}, {"name": "city"}, {"name": "date of birth"}]
HOME = {
    "name": "home",
    "fields": [
        {"name": "who", "dtype": "str"},
        {"name": "where", "dtype": "list", "threshold": 0.3},
        {"name": "kind", "dtype": "str", "choices": ["flat", "House", "kind"], "threshold": 0.1},
        {"name": "rooms", "dtype": "list", "choices": ["one", "two", "flat"], "description": "how many rooms", "threshold": 0.1},
    ],
}
MOOD = {"task": "mood", "labels": ["asked", "told", "sung"], "multiLabel": False}
SCHEMAS: list[dict[str, Any]] = [
    {"entities": ENTITIES},
    {"entities": [{"name": "person", "description": "a human being"}, {"name": "city", "threshold": 0.2}], "flatNer": False},
    {
        "classifications": [
            MOOD,
            {"task": "about", "labels": ["homes", "food"], "multiLabel": True, "threshold": 0.4},
            {"task": "best", "labels": ["a", "b", "c"], "multiLabel": False, "topK": 2},
            {"task": "tone", "labels": ["a", "b"], "multiLabel": False, "descriptions": [{"label": "b", "description": "bad"}]},
        ]
    },
    {"structures": [HOME]},
    {"relations": [{"name": "lives in"}, {"name": "met", "description": "who met whom", "threshold": 0.3}]},
    {"entities": ENTITIES, "classifications": [MOOD], "structures": [HOME], "relations": [{"name": "lives in", "head": "person"}]},
    # Names that the package takes for one another, unless each is asked in a pass of its own.
    {"structures": [{**HOME, "name": "mood"}], "classifications": [MOOD], "relations": [{"name": "mood"}]},
]
CALLS = [
    {"text": text, "schema": schema, "threshold": 0.5 if at % 2 else 0.3}
    for at, (text, schema) in enumerate((text, schema) for text in TEXTS for schema in SCHEMAS)
] + [{"text": text, "schema": SCHEMAS[5], "threshold": 0.5} for text in (" \n ", "Ada lives in Rome. " * 20)]


def unigram() -> Tokenizer:
    """Returns a tokenizer like DeBERTa-v3's: pieces of words, the first with a mark."""
    pieces = [*SPECIAL.values(), "▁", *LETTERS, "▁in", "▁per", "son", "▁ci", "ty", "▁a", "da", "é"]
    tokenizer = Tokenizer(models.Unigram([(piece, -float(at % 7) - 1) for at, piece in enumerate(pieces)], unk_id=1))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Replace("\u200d", "")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return tokenizer


def word_piece() -> Tokenizer:
    """Returns a tokenizer like BERT's, which leaves nothing of some signs."""
    vocabulary = [*SPECIAL.values(), *LETTERS, *(f"##{letter}" for letter in LETTERS), "person", "city", "ada"]
    tokenizer = Tokenizer(models.WordPiece({token: at for at, token in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def write(folder: Path, kind: str) -> None:
    """Writes a model by the package's own writer."""
    torch.manual_seed(0)
    made = KINDS[kind]
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=word_piece() if kind == "v2" else unigram(), **SPECIAL)
    sizes = {
        "vocab_size": len(tokenizer),
        "hidden_size": 8,
        "intermediate_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 320,
    }
    config = ExtractorConfig(model_name=f"tiny-{kind}", max_width=4, counting_layer=made["counting_layer"])
    model: Any = SpanExtractor(config, encoder_config=DebertaV2Config(**(sizes | made["encoder"])), tokenizer=tokenizer)
    # As it is initialised, a model finds nothing; these weights spread the scores. They are few different numbers, which packs well.
    for name, weights in model.named_parameters():
        spread = 0.5 if weights.dim() > 1 else 0.2
        if "count_embed.transformer" in name:
            spread = 0.15
        noise = torch.randn(weights.shape) * spread
        is_norm = weights.dim() == 1 and name.endswith("weight")
        scale = made["score_scale"] if "out_project.3" in name else 1
        weights.data.copy_(((noise + is_norm) * 8).round() / 8 * scale)
    # Random weights may count zero records, and then find none.
    model.count_pred[-1].bias.data[1:4] += 3
    model.eval().save_pretrained(str(folder))
    path = folder / "model.safetensors"
    save_file({name: weights.to(made["dtype"]).contiguous() for name, weights in load_file(path).items()}, path)


def answers(folder: Path, calls: list[dict[str, Any]]) -> list[Any]:
    """Returns what the torch engine answers, offsets in code points; `refused` for a schema that it refuses."""
    facts = BaseFacts("test/gliner2", "0" * 64, folder)
    base = load_gliner(facts, torch.device("cpu"))
    found = []
    for call in calls:
        try:
            plan = GlinerPlan(read_schema(call["schema"], call["threshold"]), base)
        except RunnerError as error:
            found.append({"refused": str(error)})
            continue
        found.append(answer(base.model, [(plan, encode_for(plan, base, call["text"]))])[0])
    return found


def record(folder: Path) -> None:
    recorded = {}
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as place:
            write(Path(place), kind)
            paths = [path for path in sorted(Path(place).rglob("*")) if path.is_file()]
            files = {str(path.relative_to(place)): base64.b64encode(path.read_bytes()).decode() for path in paths}
            (folder / f"{kind}.json.gz").write_bytes(gzip.compress(json.dumps(files).encode(), mtime=0))
            recorded[kind] = [call | {"result": result} for call, result in zip(CALLS, answers(Path(place), CALLS), strict=True)]
    content = json.dumps(recorded, ensure_ascii=False, separators=(",", ":")).encode()
    (folder / "answers.json.gz").write_bytes(gzip.compress(content, mtime=0))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    command, place, *rest = sys.argv[1:]
    if command == "write":
        write(Path(place), rest[0])
    elif command == "answer":
        print(json.dumps(answers(Path(place), json.loads(Path(rest[0]).read_text("utf-8")))))
    else:
        record(Path(place))
