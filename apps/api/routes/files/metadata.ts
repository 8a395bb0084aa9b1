import { kindOf, type Reader } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';

const MAX_METADATA = 16;
const MAX_METADATA_KEY = 64;
const MAX_METADATA_VALUE = 512;

/** Texts that a client attaches to its resources, under `metadata`; null for none. */
export function readMetadata(read: Reader, given: unknown): Readonly<Record<string, string>> | null {
  if (!isPresent(given)) return null;
  if (!isRecord(given)) {
    read.refuse(['metadata'], `must be an object, not ${kindOf(given)}`, 'wrong_type');
    return null;
  }
  const entries = Object.entries(given);
  if (entries.length > MAX_METADATA)
    read.refuse(['metadata'], `must have at most ${MAX_METADATA} entries, not ${entries.length}`, 'out_of_range');
  for (const [key, value] of entries) {
    const isText = typeof value === 'string' && value.length <= MAX_METADATA_VALUE;
    if (isText && key.length <= MAX_METADATA_KEY && (key + value).isWellFormed()) continue;
    const bounds = `a key of at most ${MAX_METADATA_KEY} characters and a text of at most ${MAX_METADATA_VALUE}`;
    read.refuse(['metadata', key.slice(0, MAX_METADATA_KEY)], `must be ${bounds}`, 'out_of_range');
  }
  return given as Readonly<Record<string, string>>;
}
