import OpenAI from 'openai';
import type { AskOptions, Client, Said, ToolRound } from './support/client.js';
import { describeClient } from './support/describe-client.js';
import { sdkErrorName, sdkFailure } from './support/sdk-errors.js';
import { CITY_SCHEMA, toolNamed, TOOLS } from './support/tools.js';
import type { Connection } from './support/world.js';

describeClient({
  name: 'openai, responses',
  connect,
  ...{ failureOf: sdkFailure, errorName: sdkErrorName },
  ...{ saturated: 503, obeysShouldRetry: true, takesExtras: true },
});

function connect({ baseUrl: baseURL, key: apiKey, fetch, retries: maxRetries }: Connection): Client {
  const { responses } = new OpenAI({ baseURL, apiKey, fetch, maxRetries });
  return {
    async text(model, prompt, { signal, ...options } = {}) {
      return said(await responses.create(asked(model, prompt, options), { signal: signal ?? null }));
    },
    async stream(model, prompt, onPiece, { signal, ...options } = {}) {
      const stream = responses.stream(asked(model, prompt, options), { signal: signal ?? null });
      stream.on('response.output_text.delta', ({ delta }) => onPiece(delta));
      return said(await stream.finalResponse());
    },
    async useTools(model, prompt, way) {
      const round: ToolRound & { calls: { name: string; input: unknown }[] } = { calls: [], text: '' };
      const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: prompt }];
      for (;;) {
        const body = { model, input, tools };
        const response = way === 'whole' ? await responses.create(body) : await responses.stream(body).finalResponse();
        const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
        if (calls.length === 0) return { ...round, text: response.output_text };
        input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
        for (const { name, call_id, arguments: text } of calls) {
          const given = JSON.parse(text) as unknown;
          round.calls.push({ name, input: given });
          input.push({ type: 'function_call_output', call_id, output: toolNamed(name).run(given) });
        }
      }
    },
    async structured(model, prompt) {
      const { output_parsed } = await responses.parse({
        ...asked(model, prompt, {}),
        text: { format: { type: 'json_schema', name: 'city', schema: CITY_SCHEMA, strict: true } },
      });
      return output_parsed;
    },
  };
}

const asked = (model: string, prompt: string, { maxTokens, extras }: AskOptions) => ({
  ...{ model, input: prompt },
  ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
  ...extras,
});

const said = (response: OpenAI.Responses.Response): Said => ({
  text: response.output_text,
  cutShort: response.incomplete_details?.reason === 'max_output_tokens',
  inputTokens: response.usage?.input_tokens,
  cachedTokens: response.usage?.input_tokens_details.cached_tokens,
});

const tools = TOOLS.map(({ name, description, parameters }) => ({
  ...{ type: 'function' as const, strict: true, name, description, parameters },
}));
