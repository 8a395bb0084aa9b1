"""Calls a server by LiteLLM and Instructor, whose imports take seconds.

Arguments: names of functions with commas between, the server's address, a key. Prints by name what each gave, or its error, as JSON.
"""

import json
import sys

import anthropic
import instructor
import litellm
import openai
from pydantic import BaseModel

NAMES, URL, KEY = sys.argv[1:]
# Else it prints hints for models that it has no prices of.
litellm.suppress_debug_info = True
SAID = [{"role": "user", "content": "Name a city"}]
# A prefix says which API LiteLLM speaks.
MODELS = {
    "openai": {"model": "openai/acme/chat", "api_base": f"{URL}/v1", "api_key": KEY},
    "anthropic": {"model": "anthropic/acme/claude", "api_base": URL, "api_key": KEY},
}


class City(BaseModel):
    """A city and its people."""

    name: str
    inhabitants: int


TOOLS = [{"type": "function", "function": {"name": "find", "parameters": City.model_json_schema()}}]


def litellm_chat(style: str):
    answer = litellm.completion(messages=SAID, max_tokens=100, **MODELS[style])
    return [answer.choices[0].message.content, answer.usage.total_tokens > 0]


def litellm_stream(style: str):
    pieces = [*litellm.completion(messages=SAID, max_tokens=100, stream=True, **MODELS[style])]
    return ["".join(piece.choices[0].delta.content or "" for piece in pieces), pieces[-1].choices[0].finish_reason]


def litellm_tools(style: str):
    first = litellm.completion(messages=SAID, max_tokens=100, tools=TOOLS, **MODELS[style]).choices[0].message
    (call,) = first.tool_calls
    City.model_validate_json(call.function.arguments)
    messages = [*SAID, first, {"role": "tool", "tool_call_id": call.id, "content": "Lyon"}]
    second = litellm.completion(messages=messages, max_tokens=100, tools=TOOLS, **MODELS[style])
    return [call.function.name, second.choices[0].message.content]


def litellm_responses(style: str):
    return litellm.responses(input="Name a city", **MODELS[style]).output[-1].content[0].text


def litellm_embeddings():
    model = {**MODELS["openai"], "model": "openai/anneal/embedder-base-v1"}
    return [len(each["embedding"]) > 0 for each in litellm.embedding(input=["one", "two"], **model).data]


def instructor_openai(mode: str):
    client = instructor.from_openai(openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY), mode=instructor.Mode[mode])
    asked = {"messages": SAID, "response_model": City, "max_retries": 0}
    return [type(client.chat.completions.create(model=model, **asked)).__name__ for model in ("acme/chat", "acme/claude")]


def instructor_anthropic(mode: str):
    client = instructor.from_anthropic(anthropic.Anthropic(base_url=URL, api_key=KEY), mode=instructor.Mode[mode])
    asked = {"messages": SAID, "response_model": City, "max_tokens": 100, "max_retries": 0}
    return [type(client.messages.create(model=model, **asked)).__name__ for model in ("acme/chat", "acme/claude")]


def given(name: str):
    function, _, how = name.partition(" ")
    try:
        return globals()[function](*([how] if how else []))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


print(json.dumps({name: given(name) for name in NAMES.split(",")}))
