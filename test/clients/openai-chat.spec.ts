import OpenAI from 'openai';
import type { AskOptions, Client, Said, ToolRound } from './support/client.js';
import { describeClient } from './support/describe-client.js';
import { sdkFailure, sdkErrorName } from './support/sdk-errors.js';
import { CITY_SCHEMA, toolNamed, TOOLS } from './support/tools.js';
import type { Connection } from './support/world.js';

describeClient({
  name: 'openai, chat completions',
  connect,
  ...{ failureOf: sdkFailure, errorName: sdkErrorName },
  ...{ saturated: 503, obeysShouldRetry: true, takesExtras: true },
});

function connect({ baseUrl: baseURL, key: apiKey, fetch, retries: maxRetries }: Connection): Client {
  const { completions } = new OpenAI({ baseURL, apiKey, fetch, maxRetries }).chat;
  return {
    async text(model, prompt, { signal, ...options } = {}) {
      return said(await completions.create(asked(model, prompt, options), { signal: signal ?? null }));
    },
    async stream(model, prompt, onPiece, { signal, ...options } = {}) {
      const body = { ...asked(model, prompt, options), stream_options: { include_usage: true } };
      const stream = completions.stream(body, { signal: signal ?? null });
      stream.on('content', onPiece);
      return said(await stream.finalChatCompletion());
    },
    async useTools(model, prompt, way): Promise<ToolRound> {
      const calls: { name: string; input: unknown }[] = [];
      const body = { model, messages: [{ role: 'user' as const, content: prompt }], tools: tools(calls) };
      const runner =
        way === 'whole' ? completions.runTools(body) : completions.runTools({ ...body, stream: true as const });
      return { text: (await runner.finalContent()) ?? '', calls };
    },
    async structured(model, prompt) {
      const { choices } = await completions.parse({
        ...asked(model, prompt, {}),
        response_format: { type: 'json_schema', json_schema: { name: 'city', schema: CITY_SCHEMA, strict: true } },
      });
      return choices[0]!.message.parsed;
    },
  };
}

const asked = (model: string, prompt: string, { maxTokens, extras }: AskOptions) => ({
  ...{ model, messages: [{ role: 'user' as const, content: prompt }] },
  ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  ...extras,
});

const said = ({ choices: [choice], usage }: OpenAI.ChatCompletion): Said => ({
  text: choice!.message.content ?? '',
  cutShort: choice!.finish_reason === 'length',
  inputTokens: usage?.prompt_tokens,
  cachedTokens: usage?.prompt_tokens_details?.cached_tokens,
});

/** @param calls is told each */
const tools = (calls: { name: string; input: unknown }[]) =>
  TOOLS.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    function: {
      ...{ name, description, parameters },
      parse: JSON.parse as (text: string) => object,
      function: (input: object) => {
        calls.push({ name, input });
        return toolNamed(name).run(input);
      },
    },
  }));
