"""Calls a server by clients in Python. Arguments: the name of a function, the server's address, a key. Prints what it gave as JSON."""

import io
import json
import sys

import anthropic
import openai
from open_responses import open_responses as open_responses_of
from pydantic import BaseModel

MODEL = {"openai": "acme/chat", "anthropic": "acme/claude"}
NAME, URL, KEY = sys.argv[1:]


class City(BaseModel):
    """A city and its people."""

    name: str
    inhabitants: int


SCHEMA = City.model_json_schema()
SAID = [{"role": "user", "content": "Name a city"}]
ROW = '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}\n'


def by_openai() -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)


def by_anthropic() -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=URL, api_key=KEY, max_retries=0)


def openai_chat(model: str):
    answer = by_openai().chat.completions.create(model=model, messages=SAID)
    return [answer.choices[0].message.content, answer.usage.total_tokens > 0]


def openai_stream(model: str):
    with by_openai().chat.completions.stream(model=model, messages=SAID) as stream:
        pieces = [event.delta for event in stream if event.type == "content.delta"]
        return ["".join(pieces), stream.get_final_completion().choices[0].finish_reason]


def openai_tools(model: str):
    client = by_openai()
    tools = [{"type": "function", "function": {"name": "find", "parameters": SCHEMA}}]
    first = client.chat.completions.create(model=model, messages=SAID, tools=tools).choices[0]
    (call,) = first.message.tool_calls
    result = {"role": "tool", "tool_call_id": call.id, "content": "Lyon"}
    messages = [*SAID, first.message, result]
    second = client.chat.completions.create(model=model, messages=messages, tools=tools)
    City.model_validate_json(call.function.arguments)
    return [call.function.name, second.choices[0].message.content]


def openai_structured(model: str):
    answer = by_openai().chat.completions.parse(model=model, messages=SAID, response_format=City)
    return type(answer.choices[0].message.parsed).__name__


def openai_responses(model: str):
    client = by_openai()
    first = client.responses.create(model=model, input="Name a city")
    second = client.responses.create(model=model, input="Another", previous_response_id=first.id)
    parsed = client.responses.parse(model=model, input="Name a city", text_format=City)
    events = [event.type for event in client.responses.create(model=model, input="Name a city", stream=True)]
    client.responses.delete(first.id)
    try:
        client.responses.retrieve(first.id)
    except openai.NotFoundError:
        return [first.output_text, second.output_text, type(parsed.output_parsed).__name__, events[-1]]


def open_responses(model: str):
    return open_responses_of(URL, KEY, model)


def openai_embeddings():
    answer = by_openai().embeddings.create(model="anneal/embedder-base-v1", input=["one", "two"])
    return [len(each.embedding) > 0 for each in answer.data]


def openai_files():
    client = by_openai()
    file = client.files.create(file=("rows.jsonl", io.BytesIO(ROW.encode())), purpose="fine-tune")
    listed = [each.filename for each in client.files.list() if each.id == file.id]
    content = client.files.content(file.id).text
    return [listed, content == ROW, list(client.fine_tuning.jobs.list()), list(client.batches.list())]


def openai_errors():
    try:
        by_openai().chat.completions.create(model="no/such", messages=SAID)
    except openai.NotFoundError as error:
        return [error.status_code, error.body["type"]]


def anthropic_messages(model: str):
    answer = by_anthropic().messages.create(model=model, messages=SAID, max_tokens=100)
    return [answer.content[0].text, answer.stop_reason]


def anthropic_stream(model: str):
    with by_anthropic().messages.stream(model=model, messages=SAID, max_tokens=100) as stream:
        return ["".join(stream.text_stream), stream.get_final_message().stop_reason]


def anthropic_tools(model: str):
    client = by_anthropic()
    asked = {"model": model, "max_tokens": 100, "tools": [{"name": "find", "input_schema": SCHEMA}]}
    first = client.messages.create(messages=SAID, **asked)
    (call,) = [block for block in first.content if block.type == "tool_use"]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "Lyon"}
    turns = [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    second = client.messages.create(messages=[*SAID, *turns], **asked)
    City.model_validate(call.input)
    return [call.name, second.content[0].text]


def anthropic_count(model: str):
    return by_anthropic().messages.count_tokens(model=model, messages=SAID).input_tokens > 0


def pydantic_ai(model: str):
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    chat = OpenAIChatModel(model, provider=OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY))
    text = Agent(chat).run_sync("Name a city").output
    return [text, type(Agent(chat, output_type=City).run_sync("Name a city").output).__name__]


def langchain_openai(model: str):
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(model=model, base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
    pieces = [piece.text for piece in chat.stream("Name a city")]
    called = chat.bind_tools([City]).invoke("Name a city").tool_calls
    structured = chat.with_structured_output(City).invoke("Name a city")
    return ["".join(pieces), [call["name"] for call in called], type(structured).__name__]


def langchain_embeddings():
    from langchain_openai import OpenAIEmbeddings

    texts = ["A cat sat", "Grüße, мир"]
    same = []
    for model in ("anneal/embedder-base-v1", "acme/embed"):
        # It sends token ids by default.
        vectors = OpenAIEmbeddings(model=model, base_url=f"{URL}/v1", api_key=KEY, max_retries=0).embed_documents(texts)
        answer = by_openai().embeddings.create(model=model, input=texts, encoding_format="float")
        scripted = model == "acme/embed"
        same.append(len(vectors) == 2 if scripted else vectors == [each.embedding for each in answer.data])
    return same


function, _, style = NAME.partition(" ")
print(json.dumps(globals()[function](*([MODEL[style]] if style else []))))
