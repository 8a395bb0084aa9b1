import type { Exchange } from './exchanges.js';
import type { Published } from './published.js';
import { streamProblems } from './check-stream.js';

/** Names of the published types of an answer and of its stream's events, by path. */
const TYPES: Readonly<Record<string, { readonly answer: string; readonly event?: string }>> = {
  '/chat/completions': { answer: 'ChatAnswer', event: 'ChatChunk' },
  '/completions': { answer: 'TextAnswer', event: 'TextAnswer' },
  '/responses': { answer: 'ResponsesAnswer', event: 'ResponsesEvent' },
  '/embeddings': { answer: 'EmbeddingsAnswer' },
  '/messages': { answer: 'MessagesAnswer', event: 'MessagesEvent' },
  '/messages/count_tokens': { answer: 'TokenCountAnswer' },
};

/** Holds an answer to the types that the SDK of its dialect publishes. @returns what is wrong, a line each */
export function problemsOf(published: Published, exchange: Exchange): readonly string[] {
  const { method, path, status, headers, text } = exchange;
  const at = (problem: string) => `${method} ${path} ${status}: ${problem}`;
  if (!headers.has('x-request-id')) return [at('no x-request-id')];
  if (/event-stream/.test(headers.get('content-type') ?? ''))
    return streamProblems(published, typesOf(path).event!, exchange).map(at);
  // The client left before it had come.
  if (!exchange.whole) return [];
  const value = JSON.parse(text) as Value;
  return parts(exchange, value)
    .flatMap(([type, part]) => published.problem(type, part) ?? [])
    .map(at);
}

type Value = Readonly<Record<string, unknown>>;

/** The parts of an answer that have a published type. */
function parts({ path, status }: Exchange, value: Value): readonly (readonly [type: string, part: unknown])[] {
  // A request with Anthropic's version header gets Anthropic's shape on any route.
  if (status >= 400) return [value['type'] === 'error' ? ['AnthropicError', value] : ['OpenAiError', value['error']]];
  if (/^\/models/.test(path)) return ('data' in value ? (value['data'] as readonly unknown[]) : [value]).flatMap(model);
  const { answer } = typesOf(path);
  return [[answer, answer === 'EmbeddingsAnswer' ? asNumbers(value) : value]];
}

/** A model object serves clients of both. */
const model = (value: unknown) => [['OpenAiModel', value] as const, ['AnthropicModel', value] as const];

function typesOf(path: string): { readonly answer: string; readonly event?: string } {
  const types = TYPES[path];
  if (!types) throw new Error(`no type is known for ${path}`);
  return types;
}

/** Embeddings in base64 are not in the published type, which is of what the SDK makes of them. */
function asNumbers(value: Value): Value {
  const data = value['data'] as readonly { readonly embedding: unknown }[];
  const numbers = (embedding: unknown) =>
    typeof embedding === 'string'
      ? [...new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer)]
      : embedding;
  return { ...value, data: data.map((one) => ({ ...one, embedding: numbers(one.embedding) })) };
}
