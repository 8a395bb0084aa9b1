import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import { describeWith } from '#test/torch/environment.js';
import { calledBy, pythonClients } from './support/python.js';
import { startWorld, type World } from './support/world.js';

const SAID = 'You said: Name a city';
const TOLD = 'The tools said Lyon';

type Case = readonly [name: string, gave: unknown];
/** On a model of a provider of each style. */
const both = (name: string, gave: unknown): readonly Case[] =>
  ['openai', 'anthropic'].map((style) => [`${name} ${style}`, gave]);

/** Events that Open Responses has, and streams have here. */
const EVENTS = [
  ...['error', 'response.completed', 'response.content_part.added', 'response.content_part.done', 'response.created'],
  ...['response.function_call_arguments.delta', 'response.function_call_arguments.done', 'response.in_progress'],
  ...['response.incomplete', 'response.output_item.added', 'response.output_item.done', 'response.output_text.delta'],
  'response.output_text.done',
];
const THOUGHTS = ['part.added', 'part.done', 'text.delta', 'text.done'].map(
  (name) => `response.reasoning_summary_${name}`,
);

/** Functions of `calls.py`, and what they give. */
const CASES: readonly Case[] = [
  ...both('openai_chat', [SAID, true]),
  ...both('openai_stream', [SAID, 'stop']),
  ...both('openai_tools', ['find', TOLD]),
  ...both('openai_structured', 'City'),
  ...both('openai_responses', [SAID, 'You said: Another', 'City', 'response.completed']),
  // The effort is OpenAI's: this model thinks without it, or not at all.
  ['open_responses anthropic', [[], EVENTS]],
  ['open_responses openai', [[], [...EVENTS, ...THOUGHTS]]],
  ['openai_embeddings', [true, true]],
  ['langchain_embeddings', [true, true]],
  ['openai_files', [['rows.jsonl'], true, [], []]],
  ['openai_errors', [404, 'invalid_request_error']],
  ...both('anthropic_messages', [SAID, 'end_turn']),
  ...both('anthropic_stream', [SAID, 'end_turn']),
  ...both('anthropic_tools', ['find', TOLD]),
  ...both('anthropic_count', true),
  ...both('pydantic_ai', [SAID, 'City']),
  ...both('langchain_openai', [SAID, ['City'], 'City']),
];

/** The file that tiktoken would fetch: a line for each token. */
async function writeEncoding(folder: string): Promise<void> {
  const url = 'https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken';
  const lines = cl100k.bpe_ranks.split('\n').flatMap((line) => {
    const [, first, ...tokens] = line.split(' ');
    return tokens.map((token, index) => `${token} ${Number(first) + index}\n`);
  });
  await writeFile(join(folder, hash('sha1', url)), lines.join(''));
}

await describeWith('clients for Python', pythonClients, (python) => {
  let world: World;
  let encodings: string;
  beforeAll(async () => {
    world = await startWorld();
    encodings = await mkdtemp(join(tmpdir(), 'anneal-encodings-'));
    await writeEncoding(encodings);
  });
  afterAll(async () => {
    await world.close();
    await rm(encodings, { recursive: true });
  });

  it.each(CASES)('work unchanged with services built for them: %s', async (name, gave) => {
    expect(await calledBy({ python }, name, world.api, { TIKTOKEN_CACHE_DIR: encodings })).toEqual(gave);
  });
});
