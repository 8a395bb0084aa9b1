import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** Ids of tokens are below it. Those of marks such as `<|endoftext|>` begin above. */
export const CL100K_TOKENS = 100_256;

/**
 * Tokens of cl100k_base (https://github.com/openai/tiktoken, MIT licence, copyright OpenAI). Clients that send token ids for a model which they do not know use it: tiktoken
 * has it for `text-embedding-3-*` and `text-embedding-ada-002`, and LangChain for any other name.
 */
export class Cl100k {
  /** The end of each token in the table, exclusive. */
  private readonly ends = new Uint32Array(CL100K_TOKENS);

  /** @param table lengths, then bytes (`tools/token-ids`) */
  private constructor(private readonly table: Buffer) {
    let end = CL100K_TOKENS;
    for (let id = 0; id < CL100K_TOKENS; id += 1) this.ends[id] = end += table[id]!;
  }

  /** Reads the table, in about 10 ms beside the main thread; afterwards it is kept in 800 kB. */
  static load(): Promise<Cl100k> {
    return (loaded ??= readFile(new URL('./cl100k_base.bin', import.meta.url))
      .then(promisify(brotliDecompress))
      .then((table) => new Cl100k(table)));
  }

  /** @param ids each below `CL100K_TOKENS`. A character of which only a part is there becomes U+FFFD. */
  decode(ids: readonly number[]): string {
    let length = 0;
    for (const id of ids) length += this.table[id]!;
    const bytes = Buffer.allocUnsafe(length);
    let at = 0;
    for (const id of ids) at += this.table.copy(bytes, at, this.startOf(id), this.ends[id]);
    return bytes.toString('utf8');
  }

  private startOf(id: number): number {
    return id === 0 ? CL100K_TOKENS : this.ends[id - 1]!;
  }
}

let loaded: Promise<Cl100k> | null = null;
