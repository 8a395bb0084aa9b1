import { fromBase64 } from '#primitives/vectors.js';
import { HostedModelError, type EmbeddingRequest, type Embeddings } from '../port.js';
import { refuseSteering } from '../passed-on.js';
import type { Provider } from '../providers.js';
import type { ResponseIdentity } from '../response-identity.js';
import type { HostedCall } from '../asked.js';
import { upstreamBody } from '../upstream.js';
import { senseless } from '../upstream-errors.js';
import { failureIn } from './failure.js';

type Vectors = Omit<Embeddings, 'provider'>;
type Vector = readonly number[] | Float32Array;

/** More than any embedder has. */
const MAX_DIMENSIONS = 65_536;

/**
 * Embeds by `POST /embeddings` (https://platform.openai.com/docs/api-reference/embeddings/create). A provider that
 * answers numbers although base64 was requested, or the other way round, is understood as well.
 * @throws HostedModelError
 */
export async function embedOpenAi(
  { provider, upstream, model, signal, identity }: HostedCall,
  { inputs, dimensions, encoding = 'base64', endUser, unknownFields }: EmbeddingRequest,
): Promise<Vectors> {
  refuseSteering(unknownFields ?? {}, provider.allowed);
  const body = {
    ...unknownFields,
    model,
    input: inputs,
    encoding_format: encoding,
    ...(dimensions !== undefined && { dimensions }),
    ...(endUser !== undefined && { user: endUser }),
  };
  const answer = await upstream.post('/embeddings', await upstreamBody(body), signal, { isWhole: true });
  const chunks = await Array.fromAsync(answer.body);
  const { vectors, inputTokens } = understood(provider, identity, Buffer.concat(chunks).toString('utf8'));
  if (vectors.length !== inputs.length) throw senseless(provider, 'answered with another number of embeddings');
  const { length } = vectors[0]!;
  if (dimensions === undefined || dimensions === length) return { vectors, inputTokens };
  throw new HostedModelError(
    'rejected',
    `\`dimensions\` must be left out: embeddings of this model have ${length} numbers`,
    {
      ...{ upstreamStatus: 422, param: 'dimensions' },
    },
  );
}

function understood(provider: Provider, identity: ResponseIdentity, text: string): Vectors {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw senseless(provider, 'answered with something that is not JSON');
  }
  const failure = failureIn(value, provider);
  if (failure) throw failure;
  const answer = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { data, usage } = answer;
  identity.read(answer);
  const vectors = Array.isArray(data) ? vectorsOf(data) : null;
  if (vectors === null) throw senseless(provider, 'answered with something that is no list of embeddings');
  return { vectors, inputTokens: tokensOf(usage) };
}

/** Vectors in the order of the inputs; null if one is missing, occurs twice, or differs in length. */
function vectorsOf(data: readonly unknown[]): Vector[] | null {
  const vectors = new Map<unknown, Vector>();
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = (item ?? {}) as { readonly index?: unknown; readonly embedding?: unknown };
    const vector = typeof embedding === 'string' ? floatsOf(embedding) : embedding;
    if (!isVector(vector) || vectors.has(index)) return null;
    vectors.set(index, vector);
  }
  const ordered = Array.from(data, (_, index) => vectors.get(index));
  return ordered.every((vector) => vector !== undefined && vector.length === ordered[0]!.length)
    ? (ordered as Vector[])
    : null;
}

function isVector(value: unknown): value is Vector {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return false;
  const { length } = value;
  return length > 0 && length <= MAX_DIMENSIONS && value.every((number) => Number.isFinite(number));
}

/** Little-endian 32-bit floats; null if the text is not that. */
function floatsOf(text: string): Float32Array | null {
  const isFloats = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && Buffer.byteLength(text, 'base64') % 4 === 0;
  return isFloats ? fromBase64(text) : null;
}

function tokensOf(usage: unknown): number | null {
  const { prompt_tokens: input, total_tokens: total } = (usage ?? {}) as Readonly<Record<string, unknown>>;
  const counted = input ?? total;
  return typeof counted === 'number' && Number.isFinite(counted)
    ? Math.min(Math.max(0, Math.round(counted)), 1e9)
    : null;
}
