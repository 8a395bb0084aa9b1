"""Tiny random models of the package `gliner` in the format that it exports, and its own answers.

python tiny.py write FOLDER span|token    writes a model
python tiny.py answer FOLDER CALLS        answers the calls of a file, a JSON list, by the graph in the folder
python tiny.py record FOLDER              writes the fixtures: a model of each kind, and the answers to CALLS

Made with gliner 0.2.29, transformers 5.16.1, torch 2.15.0, onnx 1.23.2 and onnxruntime 1.32.0.
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
from gliner import GLiNER
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?'-"
SPECIAL = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
KINDS = {"span": "markerV0", "token": "token_level"}
LABELS = ["person", "city", "date of birth"]
TEXTS = [
    "Ada met Bob in Rome.",
    "😀 Ada lives in 東京, not in São-Paulo — since 3 May!",
    "étude de café x_y-z: well-known\u00a0word ❤",
    "a",
]
CALLS: list[dict[str, Any]] = [
    *({"text": text, "labels": LABELS, "flat": flat} for text in TEXTS for flat in (True, False)),
    {"text": TEXTS[0], "labels": {"person": "name of a human", "city": "big town"}, "flat": True},
    {"text": TEXTS[0], "labels": ["city"], "flat": True, "threshold": 0.2},
    {"text": " \n ", "labels": LABELS, "flat": True},
]


def unigram() -> Tokenizer:
    """Returns a tokenizer like DeBERTa-v3's: pieces of words, the first with a mark."""
    pieces = [*SPECIAL.values(), "▁", *LETTERS, "▁in", "▁per", "son", "▁ci", "ty", "▁a", "da", "é"]
    tokenizer = Tokenizer(models.Unigram([(piece, -float(at % 7) - 1) for at, piece in enumerate(pieces)], unk_id=1))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Lowercase(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Replace("\u200d", "")]
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
    """Writes a model by the package's own writer: spans are scored on DeBERTa, words on BERT."""
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as source:
        tokenizer = unigram() if kind == "span" else word_piece()
        fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=96, **SPECIAL)
        fast.save_pretrained(source)
        encoder = {
            "vocab_size": len(fast),
            "hidden_size": 8,
            "intermediate_size": 8,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "max_position_embeddings": 96,
        }
        if kind == "span":
            deberta = {"relative_attention": True, "position_biased_input": False, "pos_att_type": ["p2c", "c2p"]}
            encoder |= {"model_type": "deberta-v2", "max_relative_positions": 16, "type_vocab_size": 0, **deberta}
        else:
            encoder |= {"model_type": "bert"}
        config = {
            "model_name": source,
            "span_mode": KINDS[kind],
            "max_width": 4,
            "max_len": 24,
            "hidden_size": 8,
            "num_rnn_layers": 1 if kind == "span" else 0,
            "encoder_config": encoder,
        }
        model: Any = GLiNER.from_config(config, backbone_from_pretrained=False)
        model.config.model_name = f"tiny-{kind}"
        # As it is initialised, a model finds nothing; these weights spread the scores.
        torch.manual_seed(3)
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.data.normal_(0, 0.5 if kind == "span" else 0.4)
        model.eval()
        model.export_to_onnx(folder)


def answer(folder: Path, calls: list[dict[str, Any]]) -> list[Any]:
    """Returns what the package finds with the graph of a folder."""
    model: Any = GLiNER.from_pretrained(str(folder), load_onnx_model=True, onnx_model_file="model.onnx", local_files_only=True)
    found = []
    for call in calls:
        hits = model.inference([call["text"]], call["labels"], flat_ner=call["flat"], threshold=call.get("threshold", 0.5))[0]
        found.append(hits)
    return found


def record(folder: Path) -> None:
    recorded = {}
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as place:
            write(Path(place), kind)
            files = {path.name: base64.b64encode(path.read_bytes()).decode() for path in sorted(Path(place).iterdir())}
            (folder / f"{kind}.json.gz").write_bytes(gzip.compress(json.dumps(files).encode(), mtime=0))
            recorded[kind] = [call | {"hits": hits} for call, hits in zip(CALLS, answer(Path(place), CALLS), strict=True)]
    (folder / "answers.json").write_text(json.dumps(recorded, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    command, place, *rest = sys.argv[1:]
    if command == "write":
        write(Path(place), rest[0])
    elif command == "answer":
        print(json.dumps(answer(Path(place), json.loads(Path(rest[0]).read_text("utf-8")))))
    else:
        record(Path(place))
