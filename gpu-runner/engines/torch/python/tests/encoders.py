"""Tiny text encoders in the hub's format, and labelled rows."""

from pathlib import Path
from typing import Any

import support
import torch
from gliner2.configuration import ExtractorConfig
from gliner2.inference.engine import BoundaryExtractor, SpanExtractor
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from anneal_runner.frames import Message

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def labelled_rows(count: int = 32) -> list[dict[str, Any]]:
    """Returns up to 40 rows that are labelled for every head: who lives where, asked (with an emoji) or told."""
    rows = []
    for index in range(count):
        name, city = support.NAMES[index], support.CITIES[index % len(support.CITIES)]
        other = support.CITIES[(index + 3) % len(support.CITIES)]
        text, label = (f"{name} lives in {city}, not in {other}.", "told"), (f"😀 Does {name} live in {city}?", "asked")
        text, label = text if index % 2 else label
        person, place = span(text, name), span(text, city)
        rows.append(
            {
                "text": text,
                "entities": [
                    {**person, "label": "person"},
                    {**place, "label": "city"},
                    *([{**span(text, other), "label": "city"}] if index % 2 else []),
                ],
                "labels": [label],
                "structures": [
                    {
                        "name": "home",
                        "fields": [
                            {"name": "who", "isList": False, "values": [person]},
                            {"name": "where", "isList": False, "values": [place]},
                        ],
                    }
                ],
                "relations": [{"name": "lives in", "head": person, "tail": place}],
            }
        )
    return rows


def span(text: str, part: str) -> dict[str, int]:
    start = text.index(part)
    return {"start": start, "end": start + len(part)}


def only(rows: list[dict[str, Any]], *heads: str) -> list[dict[str, Any]]:
    """Returns rows that are labelled for some heads alone."""
    return [{name: value for name, value in row.items() if name == "text" or name in heads} for row in rows]


def make_encoder_tokenizer() -> PreTrainedTokenizerFast:
    normalizer, pre_tokenizer = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    # Made here, since the vocabulary of a WordPieceTrainer differs from run to run, and with it what a tiny model learns.
    texts = [normalizer.normalize_str(row["text"]) for row in labelled_rows(40)]
    words = {word for text in texts for word, _ in pre_tokenizer.pre_tokenize_str(text)}
    letters = sorted({letter for word in words for letter in word})
    vocabulary = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters), *sorted(words - set(letters))]
    tokenizer = Tokenizer(models.WordPiece({token: at for at, token in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizer  # type: ignore[assignment]
    tokenizer.pre_tokenizer = pre_tokenizer  # type: ignore[assignment]
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))  # type: ignore[assignment]
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=128,
    )


def make_encoder(directory: Path) -> Path:
    """Writes a random BERT of some 60,000 parameters in the hub's format."""
    tokenizer = make_encoder_tokenizer()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.2,
    )
    BertModel(config).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def make_gliner(directory: Path, architecture: str) -> Path:
    """Writes a random GLiNER2 model, `span` or `boundary`, in the format of its package."""
    tokenizer = make_encoder_tokenizer()
    torch.manual_seed(0)
    encoder = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=256,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.2,
    )
    of = {"span": SpanExtractor, "boundary": BoundaryExtractor}[architecture]
    model = of(ExtractorConfig(architecture=architecture), encoder_config=encoder, tokenizer=tokenizer)
    if architecture == "span":
        # Random weights may count zero spans, and then find none.
        model.count_pred[-1].bias.data[1] += 100
    model.save_pretrained(str(directory))
    return directory


SETTINGS: Message = {name: value for name, value in support.SETTINGS.items() if name != "samples"} | {
    "trainingType": "lora",
    "multiLabel": False,
    "loraDropout": 0.0,
}


def train_message(base: Path, output: Path, train: Path, validation: Path, **settings: Any) -> Message:
    message = support.train_message(base, output, train, validation)
    return message | {"kind": "encoder", "settings": SETTINGS | settings}


def load_message(base: Path, adapter: str | Path | None, model: str = "m") -> Message:
    adapter = None if adapter is None else str(adapter)
    return {"type": "load", "kind": "encoder", "model": model, "base": support.base_message(base), "adapter": adapter}


def infer(driver: support.Driver, texts: list[str], schema: Message, **fields: Any) -> Message:
    """Returns the answer, `inferred` or `error`, to a call of an id of its own."""
    call = f"call {len(driver.all_of('inferred')) + len(driver.all_of('error'))}"
    driver.send("infer", **{"id": call, "model": "m", "texts": texts, "schema": schema, "threshold": 0.5} | fields)
    return driver.until(lambda message: message.get("id") == call)
