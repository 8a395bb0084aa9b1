import { MAX_PACK_TOKENS, type KnownPack } from '#models/packs/index.js';
import { cutGraph } from './onnx-graph.js';
import { openSession, openTokenizer, type Tokenizer } from './runtime.js';
import { textFeeds, type GraphSession } from './session.js';

/**
 * The layer whose first vector tells kinds of texts (kinds of questions, opinions and facts) where the last tells topics.
 * Of five layers the best on training rows of such sets.
 */
export const INNER_LAYER = 9;
/** Characters read of a text whose first tokens count: they hold 512 tokens of any text but one of very long words. */
const MAX_CHARACTERS_READ = 16_384;

/** A pack's files, checked. */
interface PackContent {
  readonly pack: KnownPack;
  readonly model: Uint8Array;
  readonly tokenizer: string;
}

/** Results wanted of a pass over a text's tokens: the text's vector, those of its tokens, or both. */
export type Wanted = 'sentence' | 'words' | 'both';

export interface Encoded<W extends Wanted> {
  /** [dimensions]; not scaled. */
  readonly sentence: W extends 'words' ? null : Float32Array;
  /** [dimensions]: that of the first token by the inner layer, not scaled; null too if the pack has fewer layers. */
  readonly inner: Float32Array | null;
  /** Vectors of each token, with the marks, from the layer for words: row-major [ids, dimensions]. */
  readonly words: W extends 'sentence' ? null : Float32Array;
}

/** A text as a pack reads it. */
export interface ReadText {
  /** At most `MAX_PACK_TOKENS`, with the marks. */
  readonly ids: readonly number[];
  /** Whether they omit more than white space. */
  readonly isCut: boolean;
}

/**
 * A pack in memory. Each text is encoded alone, so that its vectors do not depend on others: 8-bit models scale
 * activations by the whole batch.
 */
export class PackEncoder {
  readonly pack: KnownPack;
  private readonly tokenizer: Tokenizer;
  /** Opened when first needed. A graph without the upper layers takes two thirds of the time; the numbers are the same in each. */
  private readonly sessions = new Map<Wanted, GraphSession>();
  private readonly model: Uint8Array;

  /** @throws ArtifactError */
  constructor({ pack, model, tokenizer }: PackContent) {
    this.pack = pack;
    this.model = model;
    this.tokenizer = openTokenizer(tokenizer);
  }

  /** Whether the pack has an inner layer to tell kinds of texts by. */
  get hasInner(): boolean {
    return this.pack.layers > INNER_LAYER && this.pack.pooling === 'cls';
  }

  /**
   * Opens in advance what the first pass for these results needs.
   * @throws ArtifactError, GraphError
   */
  open(wanted: Wanted): void {
    this.session(wanted);
  }

  /** Ids of the text's tokens, with the pack's prefix and the marks of start and end; possibly more than it reads. */
  tokens(text: string): readonly number[] {
    return this.tokenizer.encode(this.pack.prefix + text).ids;
  }

  /** Ids of a part of a text, without marks. */
  parts(text: string): readonly number[] {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  /** Ids that mark the start and the end of a text. */
  marks(): readonly [start: number, end: number] {
    const { ids } = this.tokenizer.encode('');
    return [ids[0]!, ids.at(-1)!];
  }

  read(text: string): ReadText {
    const ids = this.tokens(text.slice(0, MAX_CHARACTERS_READ));
    if (ids.length > MAX_PACK_TOKENS) return { ids: [...ids.slice(0, MAX_PACK_TOKENS - 1), ids.at(-1)!], isCut: true };
    return { ids, isCut: /\S/u.test(text.slice(MAX_CHARACTERS_READ)) };
  }

  /** The vector of a text of at most `MAX_PACK_TOKENS` tokens. Not scaled. */
  sentence(ids: readonly number[]): Float32Array {
    return this.encode(ids, 'sentence').sentence;
  }

  /** Runs a pass over the tokens of a text, at most `MAX_PACK_TOKENS` with the marks. */
  encode<W extends Wanted>(ids: readonly number[], wanted: W): Encoded<W> {
    if (ids.length > MAX_PACK_TOKENS) throw new RangeError(`${ids.length} tokens`);
    const { dimensions, output, pooling } = this.pack;
    const session = this.session(wanted);
    const outputs = session.run(textFeeds(session, ids));
    const last = outputs[output]?.data;
    return {
      sentence: last ? (pooling === 'cls' ? last.slice(0, dimensions) : mean(last, dimensions)) : null,
      inner: this.hasInner ? (outputs[layerOutput(INNER_LAYER)]?.data.slice(0, dimensions) ?? null) : null,
      words: outputs[wordOutput(this.pack)]?.data ?? null,
    } as Encoded<W>;
  }

  /** As `encode`: vectors of each token, with the marks, from the last layer: row-major [ids, dimensions]. */
  lastLayer(ids: readonly number[]): Float32Array {
    if (ids.length > MAX_PACK_TOKENS) throw new RangeError(`${ids.length} tokens`);
    const session = this.session('sentence');
    return session.run(textFeeds(session, ids))[this.pack.output]!.data;
  }

  private session(wanted: Wanted): GraphSession {
    // For a text's vector, the graph with both outputs runs as fast as a separate one, which would double the memory.
    let session = this.sessions.get(wanted) ?? (wanted === 'sentence' ? this.sessions.get('both') : undefined);
    if (session) return session;
    const outputs = [
      ...(wanted === 'sentence' ? [] : [wordOutput(this.pack)]),
      ...(wanted === 'words' ? [] : [this.pack.output]),
      ...(wanted !== 'words' && this.hasInner ? [layerOutput(INNER_LAYER)] : []),
    ];
    session = openSession(cutGraph(this.model, outputs), outputs);
    this.sessions.set(wanted, session);
    return session;
  }
}

/** Name of the graph's output with the vectors of a layer, from 1, that is not the last. */
const layerOutput = (layer: number): string => `/encoder/layer.${layer - 1}/output/LayerNorm/Add_1_output_0`;
/** Likewise, of the layer for words. */
const wordOutput = ({ wordLayer }: KnownPack): string => layerOutput(wordLayer);

function mean(rows: Float32Array, dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  for (let at = 0; at < rows.length; at++) sum[at % dimensions]! += rows[at]!;
  const count = rows.length / dimensions;
  return Float32Array.from(sum, (value) => value / count);
}
