"""Holds the Responses API of a server to the schema of Open Responses (https://www.openresponses.org), as its Python package has it."""

import json

import httpx
from openresponses_types import types
from pydantic import BaseModel, ValidationError

PARAMETERS = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
TOOL = {"type": "function", "name": "find", "description": "Finds", "parameters": PARAMETERS}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGE = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "low"}
CALL = {"type": "function_call", "call_id": "c1", "name": "find", "arguments": "{}"}


def said(role: str, *content: dict | str):
    return {"type": "message", "role": role, "content": content[0] if isinstance(content[0], str) else [*content]}


def text(words: str, kind: str = "input_text"):
    return {"type": kind, "text": words}


def after_call(output: str | list):
    return [said("user", "Find"), CALL, {"type": "function_call_output", "call_id": "c1", "output": output}]


BODIES = {
    "a text": {"input": "Hi"},
    "a system message": {"input": [said("system", "Be brief"), said("user", "Hi")]},
    "a developer's message": {"input": [said("developer", text("Be brief")), said("user", text("Hi"))]},
    "instructions": {"input": "Hi", "instructions": "Be brief"},
    "several turns": {"input": [said("user", "Hi"), said("assistant", text("Hello", "output_text")), said("user", "Go on")]},
    "an image": {"input": [said("user", text("What is it?"), IMAGE)]},
    "a file": {"input": [said("user", text("Read"), {"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0xLjQgeA=="})]},
    "a tool": {"input": "Find", "tools": [TOOL], "tool_choice": "required"},
    "a tool by name": {"input": "Find", "tools": [TOOL], "tool_choice": {"type": "function", "name": "find"}},
    "no tool": {"input": "Find", "tools": [TOOL], "tool_choice": "none", "max_tool_calls": 3},
    "a tool's result": {"input": after_call("Lyon"), "tools": [TOOL]},
    "a tool's result in parts": {"input": after_call([text("Lyon"), IMAGE]), "tools": [TOOL]},
    "reasoning": {"input": "Hi", "reasoning": {"effort": "high", "summary": "auto"}, "include": ["reasoning.encrypted_content"]},
    "a schema": {"input": "Hi", "text": {"format": {"type": "json_schema", "name": "city", "schema": PARAMETERS}}},
    "a limit": {"input": "word " * 20, "max_output_tokens": 16},
    "all else": {
        **{"input": "Hi", "temperature": 0.5, "top_p": 0.5, "presence_penalty": 0, "frequency_penalty": 0},
        **{"service_tier": "auto", "prompt_cache_key": "k", "safety_identifier": "u", "metadata": {"a": "b"}},
        **{"truncation": "auto", "store": True, "top_logprobs": 0, "background": False, "parallel_tool_calls": False},
        **{"text": {"verbosity": "low", "format": {"type": "text"}}, "stream_options": {"include_obfuscation": False}},
    },
    "a stream that breaks off": {"input": "(cut)"},
}

EVENTS: dict[str, type[BaseModel]] = {
    name: model
    for key, model in vars(types).items()
    if key.endswith("StreamingEvent")
    for name in [next(iter(model.model_fields["type"].annotation)).value]
}


def deviations(model: type[BaseModel], value: object):
    """Returns deviations from the model except JSON schemas, which the package allows nowhere."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        found = [(".".join(map(str, each["loc"])), each["msg"]) for each in error.errors()]
        kept = [each for each in found if not each[0].endswith("JsonSchemaResponseFormat.schema")]
        # Every other format is a deviation from the one that it is not.
        return [each for each in kept if not each[0].endswith("ResponseFormat.type")]
    return []


def open_responses(url: str, key: str, model: str):
    """Returns what deviates, and the events that were seen."""
    client = httpx.Client(base_url=f"{url}/v1/responses", headers={"authorization": f"Bearer {key}"}, timeout=60)
    found, seen = [], set()
    for name, fields in BODIES.items():
        body = {"model": model, **fields}
        found += [(name, "body", each) for each in deviations(types.CreateResponseBody, body)]
        if name != "a stream that breaks off":
            answer = client.post("", json=body)
            found += [(name, answer.status_code, each) for each in deviations(types.ResponseResource, answer.json())]
        for line in client.post("", json={**body, "stream": True}).text.splitlines():
            if not line.startswith("data: "):
                continue
            event = json.loads(line.removeprefix("data: "))
            seen.add(event["type"])
            found += [(name, event["type"], each) for each in deviations(EVENTS[event["type"]], event)]
    summary = client.post("/compact", json={"model": model, "input": "Hi"}).json()
    found += [("a summary", each) for each in deviations(types.CompactResource, summary)]
    return [found, sorted(seen)]
