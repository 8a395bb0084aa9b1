import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contents } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { convertRows, DEFAULT_LIMITS, type Conversion, type ConversionOptions, type FileLimits } from './index.js';

export interface Processed {
  readonly rows: readonly (JsonObject | null)[];
  readonly contents: Contents | null;
  readonly reason: string | null;
  readonly errors: readonly { readonly row: number; readonly field: string; readonly reason: string }[];
  readonly total: number;
  /** The stored rows. */
  readonly text: string;
  readonly conversion: Conversion;
}

/**
 * A file through converting and validating, as uploads go, without process or store.
 * @param chunkSize bytes given at a time
 * @throws UnreadableFileError
 */
export async function processed(
  file: string | Uint8Array,
  options: Partial<Omit<ConversionOptions, 'limits'>> & { readonly limits?: Partial<FileLimits> } = {},
  chunkSize = 1 << 16,
): Promise<Processed> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const folder = await mkdtemp(join(tmpdir(), 'reading-'));
  const given = {
    datasetType: 'ner' as const,
    format: null,
    fileName: null,
    columnMapping: {},
    folder,
    ...options,
    limits,
  };
  const written: Uint8Array[] = [];
  try {
    const conversion = await convertRows(chunks(Buffer.from(file), chunkSize), given, async (text) => {
      written.push(text);
    });
    const text = Buffer.concat(written).toString();
    const { contents, refused } = conversion.verdict;
    return {
      rows: refused
        ? []
        : text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line) as JsonObject | null),
      contents: contents ?? null,
      reason: refused?.reason ?? null,
      errors: refused?.rowErrors.rows ?? [],
      total: refused?.rowErrors.total ?? 0,
      text,
      conversion,
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
