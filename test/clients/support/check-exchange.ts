import type { Exchange } from './exchanges.js';
import type { Published } from './published.js';
import { streamProblems } from './check-stream.js';

/** What an answer is, and what its stream is made of, by the path asked: names of published types. */
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
    return streamProblems(published, TYPES[path]!.event!, exchange).map(at);
  // The client left before it had come.
  if (!exchange.whole) return [];
  const value = JSON.parse(text) as unknown;
  return typesOf(exchange)
    .flatMap((type) => published.problem(type, asPublished(type, value)) ?? [])
    .map(at);
}

function typesOf({ path, status }: Exchange): readonly string[] {
  if (status >= 400) return [/^\/messages/.test(path) ? 'AnthropicError' : 'OpenAiError'];
  // One object serves the clients of both.
  if (/^\/models/.test(path)) return ['OpenAiModel', 'AnthropicModel'];
  const type = TYPES[path];
  if (!type) throw new Error(`no type is known for ${path}`);
  return [type.answer];
}

/** Published are the parts of some answers. */
function asPublished(type: string, value: unknown): unknown {
  return type === 'OpenAiError' ? (value as { error: unknown }).error : value;
}
