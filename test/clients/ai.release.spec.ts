import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
  type LanguageModel,
  type ToolSet,
} from 'ai';
import type { AskOptions, Client, Failure, ToolRound } from './support/client.js';
import { describeClient } from './support/describe-client.js';
import { CITY_SCHEMA, TOOLS } from './support/tools.js';
import type { Connection } from './support/world.js';

interface Settings {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
}
type Provider = (settings: Settings) => (model: string) => LanguageModel;

const PROVIDERS: readonly (readonly [name: string, Provider, saturated: 503 | 529])[] = [
  ['@ai-sdk/openai, chat', (settings) => (model) => createOpenAI(settings).chat(model), 503],
  ['@ai-sdk/openai, responses', (settings) => (model) => createOpenAI(settings).responses(model), 503],
  ['@ai-sdk/anthropic', (settings) => createAnthropic(settings), 529],
  [
    '@ai-sdk/openai-compatible',
    (settings) =>
      createOpenAICompatible({ ...settings, name: 'ours', includeUsage: true, supportsStructuredOutputs: true }),
    503,
  ],
];

for (const [name, provider, saturated] of PROVIDERS)
  describeClient({
    name: `ai with ${name}`,
    connect: (to) => connect(provider, to),
    ...{ failureOf, errorName: () => 'AI_APICallError', saturated, obeysShouldRetry: false },
    takesExtras: name === '@ai-sdk/openai-compatible',
  });

function connect(
  provider: Provider,
  { baseUrl: baseURL, key: apiKey, fetch, retries: maxRetries }: Connection,
): Client {
  const modelOf = provider({ baseURL, apiKey, fetch });
  const asked = (model: string, prompt: string, { maxTokens, signal, extras }: AskOptions = {}) => ({
    ...{ model: modelOf(model), prompt, maxRetries },
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(signal && { abortSignal: signal }),
    ...(extras && { providerOptions: { ours: extras as Record<string, string[]> } }),
  });
  return {
    async text(model, prompt, options) {
      const { text, finishReason, usage } = await generateText(asked(model, prompt, options));
      return { text, cutShort: finishReason === 'length', ...tokensOf(usage) };
    },
    async stream(model, prompt, onPiece, options) {
      const { finishReason, usage, text } = await drawn(
        streamText({ ...asked(model, prompt, options), onError }),
        onPiece,
      );
      return { text, cutShort: finishReason === 'length', ...tokensOf(usage) };
    },
    async useTools(model, prompt, way) {
      const calls: ToolRound['calls'][number][] = [];
      const body = { ...asked(model, prompt), tools: tools(calls), stopWhen: isStepCount(5) };
      const { text } = way === 'whole' ? await generateText(body) : await drawn(streamText({ ...body, onError }));
      return { text, calls };
    },
    async structured(model, prompt) {
      const schema = jsonSchema<object>(CITY_SCHEMA as Parameters<typeof jsonSchema>[0]);
      const { output } = await generateText({ ...asked(model, prompt), output: Output.object({ schema }) });
      return output;
    },
  };
}

/** Keeps the SDK from writing errors to the console. */
const onError = () => undefined;

/** Reads a stream to its end. @throws what the stream says went wrong */
async function drawn(stream: ReturnType<typeof streamText>, onPiece: (text: string) => void = () => undefined) {
  for await (const part of stream.stream) {
    if (part.type === 'text-delta') onPiece(part.text);
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw new Error('aborted');
  }
  const [text, finishReason, usage] = await Promise.all([stream.text, stream.finishReason, stream.usage]);
  return { text, finishReason, usage };
}

const tokensOf = ({ inputTokens, inputTokenDetails }: Awaited<ReturnType<typeof generateText>>['usage']) => ({
  ...{ inputTokens, cachedTokens: inputTokenDetails.cacheReadTokens },
});

const tools = (calls: ToolRound['calls'][number][]): ToolSet =>
  Object.fromEntries(
    TOOLS.map(({ name, description, parameters, run }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema<object>(parameters as Parameters<typeof jsonSchema>[0]),
        execute: (input: object) => {
          calls.push({ name, input });
          return run(input);
        },
      }),
    ]),
  );

function failureOf(error: unknown): Failure {
  const { name, message } = error as Error;
  return { name, message, status: APICallError.isInstance(error) ? error.statusCode : undefined };
}
