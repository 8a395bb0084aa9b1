import { Dropped } from '#calls/hosted/dropped.js';
import { ResponseIdentity } from '#calls/hosted/response-identity.js';
import { generateOpenAi } from '#calls/hosted/openai/index.js';
import { HostedModelError, type GenerationRequest } from '#calls/hosted/port.js';
import { checkProviders } from '#calls/hosted/providers.js';
import type { Upstream } from '#calls/hosted/upstream.js';

export const KEY = 'sk-very-secret-key-1234567890';
const settings = { style: 'openai', base_url: 'https://acme.example/v1', api_key_env: 'KEY' };
const provider = checkProviders({ providers: { acme: settings } }, { KEY }).get('acme')!;
export const STREAM = 'text/event-stream; charset=utf-8';

/** A provider that sends these chunks. */
const sending = (contentType: string, chunks: readonly Uint8Array[]) => {
  async function* body() {
    yield* chunks;
  }
  const seen = { path: '', body: {} as Record<string, unknown> };
  const upstream = {
    post: (path: string, sent: string) => {
      Object.assign(seen, { path, body: JSON.parse(sent) as object });
      return Promise.resolve({ contentType, body: body(), drain: () => undefined });
    },
  } as unknown as Upstream;
  return { upstream, seen };
};
export const answersOf = (
  contentType: string,
  chunks: readonly (string | Uint8Array)[],
  request: Partial<GenerationRequest> = {},
  stream = true,
  dropped = new Dropped(false),
) => {
  const { upstream } = sending(
    contentType,
    chunks.map((chunk) => Buffer.from(chunk)),
  );
  const asked = {
    provider,
    upstream,
    model: 'm',
    signal: undefined,
    stream,
    dropped,
    identity: new ResponseIdentity(),
  };
  return generateOpenAi(asked, { messages: [], ...request });
};
export const batchesOf = (...args: Parameters<typeof answersOf>) => Array.fromAsync(answersOf(...args));
export const data = (...values: readonly unknown[]) =>
  values.map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`).join('');
export const delta = (fields: object, finish_reason: string | null = null, index = 0) => ({
  choices: [{ index, delta: fields, finish_reason }],
});
export const streamed = async (...values: readonly unknown[]) =>
  (await batchesOf(STREAM, [data(...values, '[DONE]')])).flat();
export const whole = async (message: object, more: object = {}, request: Partial<GenerationRequest> = {}) => {
  const text = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop', ...more }] });
  return (await batchesOf('application/json', [text], request, false)).flat();
};
export const failure = async (events: Promise<unknown>): Promise<HostedModelError> => {
  const error: unknown = await events.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HostedModelError);
  return error as HostedModelError;
};
export const stop = delta({}, 'stop');
export const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
