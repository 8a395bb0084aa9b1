import Anthropic from '@anthropic-ai/sdk';
import Anthropic0 from 'anthropic-sdk-0';
import type { AskOptions, Client, Said, ToolRound } from './support/client.js';
import { describeClient } from './support/describe-client.js';
import { sdkErrorName, sdkFailure } from './support/sdk-errors.js';
import { CITY_SCHEMA, toolNamed, TOOLS } from './support/tools.js';
import type { Connection } from './support/world.js';

type Sdk = typeof Anthropic;

// The SDK appends `/v1/messages` to a base address that people set with and without `/v1`. One program, compiled
// against the newer types, uses only what 0.x has as well.
describeSdk('@anthropic-ai/sdk 1.x, base address ending in /v1', Anthropic, (url) => url, {
  503: 'ServiceUnavailableError',
  529: 'OverloadedError',
});
describeSdk(
  '@anthropic-ai/sdk 0.x, base address without /v1',
  Anthropic0 as unknown as Sdk,
  (url) => url.replace(/\/v1$/, ''),
  {},
);

/** @param errorNames that only this version has */
function describeSdk(
  name: string,
  sdk: Sdk,
  base: (url: string) => string,
  errorNames: Readonly<Record<number, string>>,
): void {
  describeClient({
    name,
    connect: (to) => connect(sdk, { ...to, baseUrl: base(to.baseUrl) }),
    failureOf: sdkFailure,
    errorName: (status) => errorNames[status] ?? sdkErrorName(status),
    ...{ saturated: 529, obeysShouldRetry: true, takesExtras: true },
  });
}

function connect(sdk: Sdk, { baseUrl: baseURL, key: apiKey, fetch, retries }: Connection): Client {
  const { messages } = new sdk({ baseURL, apiKey, fetch, maxRetries: retries });
  return {
    async text(model, prompt, { signal, ...options } = {}) {
      return said(await messages.create(asked(model, prompt, options), { signal: signal ?? null }));
    },
    async stream(model, prompt, onPiece, { signal, ...options } = {}) {
      const stream = messages.stream(asked(model, prompt, options), { signal: signal ?? null });
      stream.on('text', onPiece);
      return said(await stream.finalMessage());
    },
    async useTools(model, prompt, way) {
      const round: ToolRound & { calls: { name: string; input: unknown }[] } = { calls: [], text: '' };
      const conversation: Anthropic.MessageParam[] = [{ role: 'user', content: prompt }];
      for (;;) {
        const body = { model, max_tokens: 100, messages: conversation, tools };
        const message = way === 'whole' ? await messages.create(body) : await messages.stream(body).finalMessage();
        if (message.stop_reason !== 'tool_use') return { ...round, text: textOf(message) };
        const results = message.content.flatMap((block) => {
          if (block.type !== 'tool_use') return [];
          round.calls.push({ name: block.name, input: block.input });
          const content = toolNamed(block.name).run(block.input);
          return [{ type: 'tool_result' as const, tool_use_id: block.id, content }];
        });
        conversation.push({ role: 'assistant', content: message.content }, { role: 'user', content: results });
      }
    },
    async structured(model, prompt) {
      const format = { type: 'json_schema' as const, schema: CITY_SCHEMA };
      const message = await messages.create({ ...asked(model, prompt, {}), output_config: { format } });
      return JSON.parse(textOf(message)) as unknown;
    },
  };
}

const asked = (model: string, prompt: string, { maxTokens, extras }: AskOptions) => ({
  ...{ model, messages: [{ role: 'user' as const, content: prompt }], max_tokens: maxTokens ?? 100 },
  ...extras,
});

const textOf = ({ content }: Anthropic.Message): string =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

function said(message: Anthropic.Message): Said {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage;
  return {
    text: textOf(message),
    cutShort: message.stop_reason === 'max_tokens',
    inputTokens: input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0),
    cachedTokens: cache_read_input_tokens ?? undefined,
  };
}

const tools = TOOLS.map(({ name, description, parameters }) => ({
  ...{ name, description, input_schema: parameters as Anthropic.Tool['input_schema'] },
}));
