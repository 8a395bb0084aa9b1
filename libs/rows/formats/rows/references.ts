import type { Json } from '#domain/json.js';

const FILE =
  /\.(?:txt|text|md|rtf|docx?|odt|pdf|html?|xml|json|jsonl|csv|tsv|eml|msg|wav|mp3|m4a|flac|ogg|opus|aac|webm|mp4|avi|mov|mkv|jpe?g|png|gif|bmp|tiff?|webp|svg|heic|npy|pt|parquet|zip|gz)$/i;
const ADDRESS = /^(?:https?|file|ftp|s3|gs|gcs|az|azure|abfss?|wasbs?|hdfs|dbfs|hf):\/\/\S+$/i;
/** A path that begins at a root, or at a folder that is named by its relation to another. */
const ROOTED = /^(?:[a-z]:[\\/]|~?[\\/]|\.{1,2}[\\/])/i;
const MAX_CHARACTERS = 2000;

/** Whether a text is nothing but the path or the address of a file. */
export function isReference(text: Json | undefined): boolean {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) return false;
  const name = text.trim();
  return ADDRESS.test(name) || (FILE.test(name) && (!/\s/.test(name) || (ROOTED.test(name) && !/[\n\t]/.test(name))));
}
