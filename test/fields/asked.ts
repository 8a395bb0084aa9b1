import { InvalidError } from '#domain/errors.js';
import { decodeMessages } from '#apps/api/dialects/anthropic-messages/decode.js';
import { decodeChat } from '#apps/api/dialects/openai-chat/decode.js';
import { decodeCompletion } from '#apps/api/dialects/openai-completions/decode.js';
import { decodeResponses } from '#apps/api/dialects/openai-responses/decode.js';
import { Replay } from '#apps/api/dialects/openai-responses/replay.js';
import { namingFields } from '#calls/field-names.js';
import type { CompatibleRequest } from '#apps/api/dialects/shared/request.js';
import { engineRequests } from '#calls/backends/runner/engine-requests.js';
import { catalogModel } from '#calls/models.js';
import { GENERATION_FEATURES } from '#gpu-runner/contract/generation.js';
import type { FieldReceiver } from '#calls/hosted/fields/field.js';
import { ENTRY } from '#test/support/hosted-calls.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import { SCRIPTED_USAGE, sends, streams, type Act } from '#test/support/scripted-provider.js';

/** Outcome of a request. */
export interface Outcome {
  readonly status: number;
  /** The body that the provider was sent, or the engine's request; null if it was refused, or of an encoder. */
  readonly sent: unknown;
  readonly dropped: readonly string[];
  /** The message of a refusal. */
  readonly message: string;
}

const MESSAGES_VERSION = { version: '2023-06-01', headers: {}, generates: true } as const;

type Decode = (body: object) => Promise<CompatibleRequest>;

const DECODE: Readonly<Record<string, Decode>> = {
  '/v1/chat/completions': (body) => Promise.resolve(decodeChat(body)),
  '/v1/completions': (body) => Promise.resolve(decodeCompletion(body)),
  '/v1/messages': (body) => Promise.resolve(decodeMessages(body, MESSAGES_VERSION)),
  // Nothing is replayed: no request here refers to another.
  '/v1/responses': (body) => new Replay(null as never, null as never).complete(null as never, decodeResponses(body)),
};

const MODEL = catalogModel('test/decoder', { ...ENTRY, id: 'test/decoder', provider: null });
const FACTS = { hasChatTemplate: true, features: GENERATION_FEATURES };

/** A request to an engine here, up to what the engine is given. */
async function ofDecoder(path: string, body: object): Promise<Outcome> {
  try {
    const { generation, names = {} } = await DECODE[path]!({ ...body, model: 'test/decoder' });
    try {
      const { requests, dropped } = engineRequests(generation, MODEL, FACTS);
      return { status: 200, sent: requests, dropped, message: '' };
    } catch (error) {
      throw namingFields(names, error);
    }
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    return { status: 422, sent: null, dropped: [], message: JSON.stringify(error.fields) };
  }
}

const MODELS: Readonly<Partial<Record<FieldReceiver, object>>> = {
  openai: { model: 'acme/chat' },
  anthropic: { model: 'acme/claude' },
  encoder: { model: 'anneal/encoder-base-v1', schema: ['person'] },
  embedder: { model: 'anneal/embedder-base-v1' },
};
/** Models of the provider of style `openai` that are for one route. */
const OF_ROUTES: Readonly<Record<string, object>> = {
  '/v1/completions': { model: 'acme/base' },
  '/v1/embeddings': { model: 'acme/embed' },
};

const chat = streams('scripted');

/** Answers chats as a stream, continuations as many times as they ask for, and embeddings. */
export const answersAlike: Act = (response, request) => {
  const { path, body } = request;
  if (path.endsWith('/chat/completions')) return chat(response, request);
  if (path.endsWith('/embeddings')) {
    const embedding = Array.from({ length: body.dimensions ?? 3 }, () => 0.5);
    return sends(JSON.stringify({ data: [{ index: 0, embedding }], usage: SCRIPTED_USAGE }))(response, request);
  }
  const choices = Array.from({ length: body.n ?? 1 }, (_, index) => ({ index, text: 'x', finish_reason: 'stop' }));
  const answer = JSON.stringify({ choices, usage: SCRIPTED_USAGE });
  if (body.stream !== true) return sends(answer)(response, request);
  return sends(`data: ${answer}\n\ndata: [DONE]\n\n`, 'text/event-stream')(response, request);
};

/** Sends a request of a dialect to a backend. */
export async function ask(hosted: HostedApi, backend: FieldReceiver, path: string, body: object): Promise<Outcome> {
  if (backend === 'decoder') return ofDecoder(path, body);
  const model = (backend === 'openai' && OF_ROUTES[path]) || MODELS[backend];
  const provider = backend === 'openai' ? hosted.openai : hosted.claude;
  const before = provider.seen.length;
  const answer = await hosted.api.call('POST', path, { ...body, ...model });
  return {
    status: answer.status,
    sent: provider.seen[before]?.body ?? null,
    dropped: answer.headers.get('x-anneal-dropped')?.split(', ') ?? [],
    message: answer.status === 200 ? '' : JSON.stringify(answer.body),
  };
}
