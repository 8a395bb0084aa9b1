import { MAX_PACK_TOKENS, type KnownPack } from '#model-packs/index.js';
import { cutGraph } from './onnx-graph.js';
import { openSession, openTokenizer, type Session, type Tokenizer } from './runtime.js';

/** Of a text whose first tokens are read: these hold 512 of any text but one of very long words. */
const MAX_CHARACTERS_READ = 16_384;

/** A pack's files, checked. */
export interface PackContent {
  readonly pack: KnownPack;
  readonly model: Uint8Array;
  readonly tokenizer: string;
}

/**
 * A pack in memory. Each text is encoded alone, so that its vectors do not depend on others: models of 8 bits scale what runs
 * through them by all that shares a batch.
 */
export class PackEncoder {
  private readonly tokenizer: Tokenizer;
  private readonly session: Session;
  private readonly pack: KnownPack;

  /** @throws ArtifactError, GraphError */
  constructor({ pack, model, tokenizer }: PackContent) {
    this.pack = pack;
    this.tokenizer = openTokenizer(tokenizer);
    this.session = openSession(cutGraph(model, [pack.output]), [pack.output]);
  }

  /** Ids of the text's tokens, with the pack's prefix and the marks of start and end; there may be more than it reads. */
  tokens(text: string): readonly number[] {
    return this.tokenizer.encode(this.pack.prefix + text).ids;
  }

  /** As many of the text's tokens as it reads, with the marks. */
  firstTokens(text: string): readonly number[] {
    const ids = this.tokens(text.slice(0, MAX_CHARACTERS_READ));
    return ids.length <= MAX_PACK_TOKENS ? ids : [...ids.slice(0, MAX_PACK_TOKENS - 1), ids.at(-1)!];
  }

  /** Whether `firstTokens` leaves some out. */
  isTooLong(text: string): boolean {
    return text.length > MAX_CHARACTERS_READ || this.tokens(text).length > MAX_PACK_TOKENS;
  }

  /** The vector of a text of at most `MAX_PACK_TOKENS` tokens. Not scaled. */
  sentence(ids: readonly number[]): Float32Array {
    if (ids.length > MAX_PACK_TOKENS) throw new RangeError(`${ids.length} tokens`);
    const { dimensions, output, pooling } = this.pack;
    const { data } = this.session.run(ids)[output]!;
    return pooling === 'cls' ? data.slice(0, dimensions) : mean(data, dimensions);
  }
}

function mean(rows: Float32Array, dimensions: number): Float32Array {
  const sum = new Float64Array(dimensions);
  for (let at = 0; at < rows.length; at++) sum[at % dimensions]! += rows[at]!;
  const count = rows.length / dimensions;
  return Float32Array.from(sum, (value) => value / count);
}
