import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import {
  AIMessageChunk,
  HumanMessage,
  ToolMessage,
  type BaseMessage,
  type UsageMetadata,
} from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import type { AskOptions, Client, Said, ToolRound } from './support/client.js';
import { describeClient } from './support/describe-client.js';
import { sdkErrorName, sdkFailure } from './support/sdk-errors.js';
import { CITY_SCHEMA, toolNamed, TOOLS } from './support/tools.js';
import type { Connection } from './support/world.js';

type Make = (to: Connection, model: string, options: Pick<AskOptions, 'maxTokens' | 'extras'>) => BaseChatModel;

const openAi =
  (useResponsesApi: boolean): Make =>
  ({ baseUrl: baseURL, key: apiKey, fetch, retries: maxRetries }, model, { maxTokens, extras }) =>
    new ChatOpenAI({
      ...{ model, apiKey, maxRetries, useResponsesApi, configuration: { baseURL, fetch } },
      ...(maxTokens !== undefined && { maxTokens }),
      ...(extras && { modelKwargs: extras }),
    });

const anthropic: Make = ({ baseUrl, key: apiKey, fetch, retries: maxRetries }, model, { maxTokens = 100, extras }) =>
  new ChatAnthropic({
    ...{ model, apiKey, maxRetries, maxTokens, anthropicApiUrl: baseUrl, clientOptions: { fetch } },
    ...(extras && { invocationKwargs: extras }),
  });

const MODELS: readonly (readonly [name: string, Make, saturated: 503 | 529])[] = [
  ['@langchain/openai', openAi(false), 503],
  ['@langchain/openai, responses', openAi(true), 503],
  ['@langchain/anthropic', anthropic, 529],
];

for (const [name, make, saturated] of MODELS)
  describeClient({
    ...{ name, connect: (to) => connect(make, to) },
    ...{ failureOf: sdkFailure, errorName: sdkErrorName, saturated, obeysShouldRetry: true, takesExtras: true },
    countsInputFirst: make === anthropic,
  });

function connect(make: Make, to: Connection): Client {
  return {
    async text(model, prompt, { signal, ...options } = {}) {
      return said(await make(to, model, options).invoke(prompt, { ...(signal && { signal }) }));
    },
    async stream(model, prompt, onPiece, { signal, ...options } = {}) {
      return said(await drawn(make(to, model, options), [new HumanMessage(prompt)], onPiece, signal));
    },
    async useTools(model, prompt, way) {
      const round: ToolRound & { calls: { name: string; input: unknown }[] } = { calls: [], text: '' };
      const bound = make(to, model, {}).bindTools!(tools);
      const conversation: BaseMessage[] = [new HumanMessage(prompt)];
      for (;;) {
        const message = way === 'whole' ? await bound.invoke(conversation) : await drawn(bound, conversation);
        const calls = message.tool_calls ?? [];
        if (calls.length === 0) return { ...round, text: message.text };
        conversation.push(message);
        for (const { id, name, args } of calls) {
          round.calls.push({ name, input: args });
          conversation.push(new ToolMessage({ tool_call_id: id!, name, content: toolNamed(name).run(args) }));
        }
      }
    },
    structured: (model, prompt) =>
      make(to, model, {})
        .withStructuredOutput({ title: 'city', ...CITY_SCHEMA }, { name: 'city' })
        .invoke(prompt),
  };
}

type Streaming = Pick<ReturnType<NonNullable<BaseChatModel['bindTools']>>, 'stream'>;

/** The pieces of a stream, put together. */
async function drawn(
  model: Streaming,
  conversation: BaseMessage[],
  onPiece: (text: string) => void = () => undefined,
  signal?: AbortSignal,
): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | null = null;
  for await (const chunk of await model.stream(conversation, { ...(signal && { signal }) })) {
    if (chunk.text !== '') onPiece(chunk.text);
    whole = whole === null ? chunk : whole.concat(chunk);
  }
  if (whole === null) throw new Error('nothing was streamed');
  return whole;
}

const CUT_SHORT = /length|max_tokens|max_output_tokens/;

function said({ text, usage_metadata, response_metadata, additional_kwargs }: AIMessageChunk): Said {
  const { finish_reason, incomplete_details } = response_metadata;
  const stopReason = response_metadata['stop_reason'] ?? additional_kwargs['stop_reason'];
  const usage = usage_metadata as UsageMetadata | undefined;
  return {
    text,
    cutShort: CUT_SHORT.test(JSON.stringify([finish_reason, stopReason, incomplete_details])),
    inputTokens: usage?.input_tokens,
    cachedTokens: usage?.input_token_details?.cache_read,
  };
}

const tools = TOOLS.map(({ name, description, parameters, run }) =>
  tool((input: unknown) => run(input), { name, description, schema: parameters }),
);
