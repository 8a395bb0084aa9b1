import { readFileSync } from 'node:fs';
import type { ZeroShotWeights } from '../../builtin/entities/index.js';

/** Beside this module: what `npm run build:zero-shot` learned on the pack of `anneal/encoder-small-v1`. */
const FILE = new URL('./weights.json', import.meta.url);

let read: ZeroShotWeights | null = null;

export function zeroShotWeights(): ZeroShotWeights {
  read ??= JSON.parse(readFileSync(FILE, 'utf8')) as ZeroShotWeights;
  return read;
}
