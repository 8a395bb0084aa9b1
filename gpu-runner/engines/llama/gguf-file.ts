import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The GGUF file in a folder, or the first part of it, by which llama.cpp finds the others; null if there is none. */
export function ggufIn(directory: string): string | null {
  const name = readdirSync(directory)
    .toSorted()
    .find((each) => each.endsWith('.gguf'));
  return name === undefined ? null : join(directory, name);
}
