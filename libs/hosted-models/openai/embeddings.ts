import { type EmbeddingRequest, type Embeddings } from '../port.js';
import type { Provider } from '../providers.js';
import { senseless } from '../upstream-errors.js';
import type { Upstream } from '../upstream.js';

interface Answer {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
  readonly usage?: { readonly prompt_tokens?: number } | null;
}

/** Embeds by `POST /embeddings` (https://platform.openai.com/docs/api-reference/embeddings/create). @throws HostedModelError */
export async function embedOpenAi(
  provider: Provider,
  upstream: Upstream,
  model: string,
  { inputs, dimensions, endUser, unknownFields }: EmbeddingRequest,
  signal: AbortSignal | undefined,
): Promise<Embeddings> {
  const body = {
    ...unknownFields,
    model,
    input: inputs,
    encoding_format: 'float',
    ...(dimensions !== undefined && { dimensions }),
    ...(endUser !== undefined && { user: endUser }),
  };
  const answer = await upstream.post('/embeddings', JSON.stringify(body), signal);
  const chunks = await Array.fromAsync(answer.body);
  const { data, usage } = understood(provider, Buffer.concat(chunks).toString('utf8'));
  const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  if (vectors.length !== inputs.length) throw senseless(provider, 'answered with another number of embeddings');
  const inputTokens = Number.isSafeInteger(usage?.prompt_tokens) ? Math.max(0, usage!.prompt_tokens!) : 0;
  return { vectors, inputTokens };
}

function understood(provider: Provider, text: string): Answer {
  try {
    const value = JSON.parse(text) as Answer;
    const isOne = ({ index, embedding }: Answer['data'][number]) =>
      Number.isSafeInteger(index) && Array.isArray(embedding) && embedding.every(Number.isFinite);
    if (Array.isArray(value.data) && value.data.every(isOne)) return value;
  } catch {
    // The same as another shape.
  }
  throw senseless(provider, 'answered with something that is no list of embeddings');
}
