import type { Contents, DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import {
  convertRows,
  DEFAULT_LIMITS,
  mergedErrors,
  ProblemList,
  validateRows,
  type ConversionOptions,
  type FileLimits,
} from './index.js';

export interface Processed {
  readonly rows: readonly (JsonObject | null)[];
  readonly contents: Contents | null;
  readonly reason: string | null;
  readonly errors: readonly { readonly row: number; readonly field: string; readonly reason: string }[];
  readonly total: number;
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
  const datasetType: DatasetType = options.datasetType ?? 'ner';
  const given = { format: null, fileName: null, columnMapping: {}, ...options, datasetType, limits };
  const unreadable = new ProblemList();
  const written: Buffer[] = [];
  const { format } = await convertRows(chunks(Buffer.from(file), chunkSize), given, unreadable, async (text) => {
    written.push(text);
  });
  const canonical = Buffer.concat(written);
  const invalid = new ProblemList();
  const contents = await validateRows(chunks(canonical, chunkSize), { datasetType, limits, format }, invalid);
  const errors = mergedErrors(unreadable, invalid);
  const lines = canonical.toString().trimEnd().split('\n');
  return {
    rows: lines.map((line) => JSON.parse(line) as JsonObject | null),
    contents: errors ? null : contents,
    reason: errors?.reason ?? null,
    errors: errors?.rowErrors.rows ?? [],
    total: errors?.rowErrors.total ?? 0,
  };
}

export async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
