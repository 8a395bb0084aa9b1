"""A tiny Llama-type model in the hub's format, and a driver that speaks to the runner's process as TypeScript does."""

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from anneal_runner.chat import Chat, ChatMessage
from anneal_runner.frames import Message, read_frame
from anneal_runner.training.rows import Rows, encode_all, encode_chat

PACKAGE = Path(__file__).resolve().parent.parent
DEVICE = os.environ.get("ANNEAL_TEST_DEVICE", "cpu")
"""`cpu`, or `cuda` for a proof on a GPU."""
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
NAMES = (
    "Ada Ben Cleo Dora Emil Finn Gwen Hugo Ines Jan Kira Lars Mona Nils Olga Piet Quin Rosa Sven Tara Ugo Vera Wim Xena Yann Zoe "
    "Alma Bram Cora Dirk Elsa Fred Gina Hans Ilse Joop Katja Leo Mira Nora"
).split()
CALLING = (
    "{% if tools %}{{ '<|im_start|>system\n' + (tools | tojson) + '<|im_end|>\n' }}{% endif %}"
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] }}"
    "{% for call in message.tool_calls or [] %}"
    "{{ '<tool_call>\n' + ({'name': call.function.name, 'arguments': call.function.arguments} | tojson) + '\n</tool_call>' }}"
    "{% endfor %}{{ '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""A template of the Hermes family, with tools and calls."""
THINKING = CHATML.replace("assistant\n'", "assistant\n<think>\n'")
"""A template whose prompt opens a part for reasoning that no answer of the rows shows."""
CITIES = ["Paris", "Lyon", "Ghent", "Oslo", "Turin", "Porto", "Basel", "Cork"]


def chat_rows(count: int = 32) -> list[dict[str, Any]]:
    """Returns up to 40 rows that answer a question with JSON."""
    rows = []
    for index in range(count):
        name, city = NAMES[index], CITIES[index % len(CITIES)]
        question = f"Where does {name} live?"
        answer = json.dumps({"name": name, "city": city})
        rows.append({"messages": [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]})
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def encoded(
    tokenizer: PreTrainedTokenizerFast,
    conversations: list[list[ChatMessage]],
    max_tokens: int = 512,
    claim: Callable[[], None] = lambda: None,
) -> Rows:
    """Returns conversations as tokens, as a training reads them."""
    return encode_all(conversations, lambda messages: encode_chat(tokenizer, Chat(messages), max_tokens), claim)


def make_tokenizer(template: str | None = CHATML, more_texts: Sequence[str] = ()) -> PreTrainedTokenizerFast:
    """Returns a byte-level BPE that was trained on the rows and on more texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [message["content"] for row in chat_rows(40) for message in row["messages"]]
    tokenizer.train_from_iterator([*texts * 3, *more_texts], trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>"],
    )
    fast.chat_template = template
    return fast


def make_base(directory: Path, template: str | None = CHATML, seed: int = 0) -> Path:
    """Writes a random model of some 100,000 parameters in the hub's format."""
    tokenizer = make_tokenizer(template)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.1,
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config)
    # The head stays as it is in training: with small weights no answer could become certain.
    model.lm_head.weight.data *= 5
    model.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def base_message(directory: Path) -> Message:
    return {"id": "test/tiny", "sha256": "0" * 64, "directory": str(directory)}


SETTINGS: Message = {
    "epochs": 2,
    "learningRate": 5e-3,
    "batchSize": 8,
    "loraR": 8,
    "loraAlpha": 16,
    "loraDropout": 0.05,
    "scheduler": "linear",
    "warmupRatio": 0.1,
    "weightDecay": 0.0,
    "saveSteps": 0,
    "seed": 7,
    "earlyStoppingPatience": 0,
    "maxTokens": 128,
    "samples": 0,
}


def train_message(base: Path, output: Path, train: Path, validation: Path, **settings: Any) -> Message:
    return {
        "type": "train",
        "kind": "decoder",
        "base": base_message(base),
        "output": str(output),
        "startFrom": None,
        "resumeFrom": None,
        "settings": SETTINGS | settings,
        "train": str(train),
        "validation": str(validation),
    }


def keywords(message: Message) -> dict[str, Any]:
    """Returns a message as arguments of `Driver.send`."""
    return {("message_type" if name == "type" else name): value for name, value in message.items()}


class Driver:
    """Speaks frames to a runner. Acknowledges checkpoints and tokens by itself unless `acknowledges` is False."""

    def __init__(self, source: int, sink: int, acknowledges: bool = True) -> None:
        self._source = os.fdopen(source, "rb")
        self._sink = os.fdopen(sink, "wb")
        self._acknowledges = acknowledges
        self._arrived = threading.Condition()
        self.messages: list[Message] = []
        """All messages except heartbeats."""
        self.heartbeats = 0
        self.patience = 60.0
        """Seconds after which a message that does not come fails the test."""
        self.closed = False
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, message_type: str, **fields: Any) -> None:
        with contextlib.suppress(ValueError, BrokenPipeError):  # closed: acknowledgements may come later
            # TypeScript writes halves of surrogate pairs as escapes, and so does this.
            body = json.dumps({"type": message_type, **fields}).encode()
            self._sink.write(len(body).to_bytes(4, "big") + body)
            self._sink.flush()

    def until(self, holds: Callable[[Message], bool], seconds: float | None = None) -> Message:
        """Returns the first message for which `holds` is true, once it comes. Fails when the runner ends before."""
        with self._arrived:
            found: list[Message] = []

            def arrived() -> bool:
                found[:] = [message for message in self.messages if holds(message)][:1]
                return bool(found) or self.closed

            self._arrived.wait_for(arrived, self.patience if seconds is None else seconds)
            assert found, f"never came; the last were {self.messages[-5:]}"
            return found[0]

    def of(self, message_type: str, seconds: float | None = None) -> Message:
        return self.until(lambda message: message["type"] == message_type, seconds)

    def all_of(self, message_type: str) -> list[Message]:
        with self._arrived:
            return [message for message in self.messages if message["type"] == message_type]

    def train(self, message: Message) -> Message:
        """Returns `trained`. Fails when the training did."""
        self.send(**keywords(message))
        end = self.until(lambda m: m["type"] in ("trained", "error"))
        assert end["type"] == "trained", end
        return end

    def close(self) -> None:
        self._sink.close()

    def _read(self) -> None:
        while (message := read_frame(self._source)) is not None:
            if self._acknowledges and message["type"] == "checkpoint":
                self.send("ack", seq=message["seq"])
            if self._acknowledges and message["type"] == "token":
                self.send("ack", id=message["id"], seq=message["seq"])
            with self._arrived:
                if message["type"] == "heartbeat":
                    self.heartbeats += 1
                else:
                    self.messages.append(message)
                self._arrived.notify_all()
        with self._arrived:
            self.closed = True
            self._arrived.notify_all()


class Process:
    """A runner's process, as TypeScript starts it."""

    def __init__(self, *arguments: str, acknowledges: bool = True) -> None:
        to_python, from_here = os.pipe()
        to_here, from_python = os.pipe()
        command = f'exec "$0" -m anneal_runner --device {DEVICE} --threads 1 "$@" 3<&{to_python} 4>&{from_python}'
        self.process = subprocess.Popen(
            ["bash", "-c", command, sys.executable, *arguments],
            pass_fds=(to_python, from_python),
            env=os.environ | {"PYTHONPATH": str(PACKAGE)},
        )
        os.close(to_python)
        os.close(from_python)
        self.driver = Driver(to_here, from_here, acknowledges)


def in_thread(acknowledges: bool = True, step_seconds: float = 600) -> Driver:
    """Returns a driver of a runner in a thread of this process, which spares the imports."""
    from anneal_runner.main import run

    to_runner, from_here = os.pipe()
    to_here, from_runner = os.pipe()

    def serve() -> None:
        with os.fdopen(from_runner, "wb") as sink:
            run(os.fdopen(to_runner, "rb", buffering=0), sink, threads=1, step_seconds=step_seconds, device=DEVICE)

    threading.Thread(target=serve, daemon=True).start()
    return Driver(to_here, from_here, acknowledges)


def scored(driver: Driver, key: str, model: str, messages: list[ChatMessage]) -> Message:
    """Returns the answer to a `score`."""
    driver.send("score", id=key, model=model, messages=messages)
    return driver.until(lambda m: m.get("id") == key and m["type"] in ("scored", "error"))
