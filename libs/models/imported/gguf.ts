import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { ImportError } from './import-error.js';

/** The head of a GGUF file, as far as Anneal needs it. */
interface GgufFacts {
  /** `llama` */
  readonly architecture: string;
  readonly contextTokens: number | null;
  readonly chatTemplate: string | null;
  /** Attention heads of every layer; 0 if the file gives no single number. */
  readonly heads: { readonly heads: number; readonly keyValueHeads: number };
}

const MAX_ENTRIES = 10_000;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
const STRING = 8;
const ARRAY = 9;
/** Bytes of the fixed-size types, by number. */
const SIZES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 };

/**
 * Reads the metadata of a GGUF file.
 * @throws ImportError when it is invalid or damaged
 */
export function readGguf(path: string): GgufFacts {
  const reader = new Reader(path);
  try {
    if (reader.bytes(4).toString('latin1') !== 'GGUF') throw new ImportError(`${path} is no GGUF file`);
    const version = reader.uint32();
    if (version < 2 || version > 3) throw new ImportError(`${path} is GGUF of version ${version}; known are 2 and 3`);
    reader.uint64();
    const entries = reader.uint64();
    if (entries > MAX_ENTRIES) throw new ImportError(`${path} is damaged: it names ${entries} facts`);
    const facts = new Map<string, string | number | null>();
    for (let entry = 0; entry < entries; entry += 1) facts.set(reader.text(), reader.value(reader.uint32()));
    const architecture = facts.get('general.architecture');
    if (typeof architecture !== 'string') throw new ImportError(`${path} names no architecture`);
    const template = facts.get('tokenizer.chat_template');
    const context = facts.get(`${architecture}.context_length`);
    const countOf = (key: string): number | null => {
      const count = facts.get(`${architecture}.attention.${key}`);
      return typeof count === 'number' ? count : null;
    };
    const heads = countOf('head_count') ?? 0;
    return {
      architecture,
      heads: { heads, keyValueHeads: countOf('head_count_kv') ?? heads },
      contextTokens: typeof context === 'number' ? context : null,
      chatTemplate: typeof template === 'string' ? template : null,
    };
  } finally {
    reader.close();
  }
}

/** Reads a file from its beginning, in little-endian order. */
class Reader {
  private readonly file: number;
  private readonly size: number;
  private position = 0;

  constructor(private readonly path: string) {
    this.file = openSync(path, 'r');
    this.size = fstatSync(this.file).size;
  }

  bytes(count: number): Buffer {
    if (count > MAX_TEXT_BYTES) throw new ImportError(`${this.path} is damaged: a text of ${count} bytes`);
    const buffer = Buffer.alloc(count);
    const read = readSync(this.file, buffer, 0, count, this.position);
    if (read < count) throw new ImportError(`${this.path} is cut off`);
    this.position += count;
    return buffer;
  }

  uint32(): number {
    return this.bytes(4).readUInt32LE();
  }

  uint64(): number {
    return Number(this.bytes(8).readBigUInt64LE());
  }

  text(): string {
    return this.bytes(this.uint64()).toString();
  }

  /** A text or an unsigned number; null for a value of another type, which is skipped. */
  value(type: number): string | number | null {
    if (type === STRING) return this.text();
    if (type === ARRAY) return this.array();
    if (type === 4) return this.uint32();
    if (type === 10) return this.uint64();
    this.bytes(this.sizeOf(type));
    return null;
  }

  close(): void {
    closeSync(this.file);
  }

  private skip(count: number): void {
    this.position += count;
    if (this.position > this.size) throw new ImportError(`${this.path} is cut off`);
  }

  private array(): null {
    const type = this.uint32();
    const count = this.uint64();
    if (type === STRING) for (let index = 0; index < count; index += 1) this.skip(this.uint64());
    else if (type === ARRAY) throw new ImportError(`${this.path} holds arrays of arrays, which are not known`);
    else this.skip(count * this.sizeOf(type));
    return null;
  }

  private sizeOf(type: number): number {
    const size = SIZES[type];
    if (size === undefined) throw new ImportError(`${this.path} is damaged: a value of type ${type}`);
    return size;
  }
}
