/**
 * `npm run quality -- torch [ROWS]`: a language model of 135 M parameters (SmolLM2) that writes orders as JSON, asked with examples in
 * the prompt beside fine-tuned on rows, 100 by default. The rows are those of the set `structures`: test rows come from templates that
 * no training row has, and half of their values are new. Skipped where the torch engine is not installed or the weights cannot be
 * fetched.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importModel } from '#models/imported/index.js';
import { readSettings } from '#settings/index.js';
import { engineFolders, InstallError } from '#models/installs/index.js';
import { findTorch } from '#models/installs/torch/index.js';
import type { GenerationFigures } from '#domain/evaluation/index.js';
import type { ChatExample, DecoderEngine, GenerateRequest, LoadedDecoder } from '#gpu-runner/engines/decoder-engine.js';
import { createTorch } from '#gpu-runner/engines/torch/engine.js';
import { startTorch } from '#gpu-runner/engines/torch/python.js';
import { resolveSettings } from '#gpu-runner/engines/torch/settings.js';
import { generationFigures } from '#evaluations/generation-figures.js';
import { smolLM2 } from '#test/torch/smollm2.js';
import type { Row } from './row.js';
import { structures } from './templated-heads.js';

const TRAINING_ROWS = 100;
const TEST_ROWS = 40;
const EXAMPLES = 5;
const VALIDATION_SHARE = 0.1;
const EPOCHS = 3;
const MAX_TOKENS = 128;
const SIDE_BY_SIDE = 8;
const INSTRUCTION = 'Write the orders in the text as a JSON array. An order may have item, count, who and city.';
const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    properties: Object.fromEntries(['count', 'item', 'who', 'city'].map((name) => [name, { type: 'string' }])),
    additionalProperties: false,
  },
} as const;

interface Measured {
  readonly 'exact match': string;
  readonly 'field F1': string;
  readonly 'valid JSON': string;
  readonly 'ROUGE-L': string;
  readonly 'training, s': number | null;
  readonly 's a text': number;
}

/** @returns why nothing was measured; null once it was */
export async function measureDecoders(trainingRows = TRAINING_ROWS): Promise<string | null> {
  const install = findTorch(engineFolders(readSettings(process.env)));
  if (install === null) return 'torch (its engine is not installed: npx anneal engine install torch)';
  const weights = await smolLM2(install.python).catch((error: unknown) => {
    if (error instanceof InstallError) return null;
    throw error;
  });
  if (weights === null) return 'torch (the weights of SmolLM2-135M cannot be fetched)';
  const directory = await mkdtemp(join(tmpdir(), 'quality-torch-'));
  const { decoders } = createTorch(startTorch(install.python));
  try {
    const base = await imported(weights, join(directory, 'models'));
    const figures = await compare(decoders, base, trainingRows, join(directory, 'training'));
    console.log(`SmolLM2-135M on ${TEST_ROWS} test rows; torch ${install.facts.versions['torch']}`);
    console.table(figures);
  } finally {
    await decoders.close();
    await rm(directory, { recursive: true, force: true });
  }
  return null;
}

async function imported(weights: string, models: string): Promise<string> {
  await mkdir(models);
  const steps = importModel(weights, { id: 'quality/smollm2', licence: 'Apache-2.0' }, models);
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value.folder;
  }
}

async function compare(
  decoders: DecoderEngine,
  base: string,
  count: number,
  directory: string,
): Promise<Readonly<Record<string, Measured>>> {
  const rows = structures.train().slice(0, count).map(chatOf);
  const test = structures.test().slice(0, TEST_ROWS).map(chatOf);
  const examples = rows.slice(0, EXAMPLES).flatMap(({ messages }) => messages.slice(1));
  const prompted = test.map(({ messages: [instruction, ...own] }) => ({
    messages: [instruction!, ...examples, ...own],
  }));
  const plain = await decoders.load(base, null);
  const byPrompt = await measure(plain, prompted, null, {});
  const bySchema = await measure(plain, prompted, null, { format: { type: 'json_schema', schema: SCHEMA } });
  await plain.close();
  const { artifactDirectory, seconds } = await trained(decoders, base, rows, directory);
  const tuned = await decoders.load(base, artifactDirectory);
  const byTraining = await measure(tuned, test, seconds, {});
  await tuned.close();
  return {
    [`${EXAMPLES} examples in the prompt`]: byPrompt,
    [`${EXAMPLES} examples, held to a JSON schema`]: bySchema,
    [`LoRA on ${count} rows`]: byTraining,
  };
}

async function trained(
  decoders: DecoderEngine,
  baseDirectory: string,
  rows: readonly ChatExample[],
  directory: string,
) {
  const heldOut = Math.max(1, Math.round(rows.length * VALIDATION_SHARE));
  const facts = { rows: rows.length, entityRows: 0, classSizes: [], multiLabel: false };
  const started = performance.now();
  const { artifactDirectory } = await decoders.train(
    {
      kind: 'chats',
      settings: resolveSettings({ trainingType: 'lora', ...facts }, { epochs: EPOCHS }),
      train: rows.slice(heldOut),
      validation: rows.slice(0, heldOut),
      baseDirectory,
      startFrom: null,
      resumeFrom: null,
      outputDirectory: directory,
    },
    () => undefined,
    new AbortController().signal,
  );
  return { artifactDirectory, seconds: Math.round((performance.now() - started) / 1_000) };
}

async function measure(
  model: LoadedDecoder,
  chats: readonly ChatExample[],
  trainingSeconds: number | null,
  options: Pick<GenerateRequest, 'format'>,
): Promise<Measured> {
  const said: string[] = [];
  const waiting = [...chats.entries()].reverse();
  const started = performance.now();
  const ask = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [row, { messages }] = next;
      said[row] = await answerOf(model, {
        input: { messages: messages.slice(0, -1) },
        maxTokens: MAX_TOKENS,
        ...options,
      });
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, ask));
  const seconds = (performance.now() - started) / 1_000;
  const answers = chats.map(({ messages }, row) => ({ expected: textOf(messages.at(-1)!), said: said[row]! }));
  const { exactMatch, rougeL, json } = generationFigures(answers);
  return {
    'exact match': shown(exactMatch),
    'field F1': shown(json!.fieldF1),
    'valid JSON': shown(json!.validity),
    'ROUGE-L': shown(rougeL),
    'training, s': trainingSeconds,
    's a text': Number((seconds / chats.length).toPrecision(2)),
  };
}

async function answerOf(model: LoadedDecoder, request: GenerateRequest): Promise<string> {
  let text = '';
  for await (const chunk of model.generate(request, new AbortController().signal))
    if (chunk.type === 'text') text += chunk.text;
  return text;
}

function chatOf({ text, json_structures = [] }: Row): ChatExample {
  const orders = json_structures.map(({ order }) => order);
  return {
    messages: [
      { role: 'system', content: INSTRUCTION },
      { role: 'user', content: text },
      { role: 'assistant', content: JSON.stringify(orders) },
    ],
  };
}

const textOf = ({ content }: ChatExample['messages'][number]): string => content;

const shown = ({ value, low, high }: GenerationFigures['exactMatch']): string =>
  `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
