import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeadState } from '../head.js';
import { decodeSafetensors, encodeSafetensors } from './safetensors.js';

/**
 * The training rows that a model names to explain its answers, in a separate file beside the weights: it is read at the
 * first request for an explanation, and a model without it answers as before.
 */
const FILE = 'training_rows.safetensors';
const VERSION = '1';

export function writeKeptRows(directory: string, tensors: HeadState['tensors']): void {
  writeFileSync(join(directory, FILE), encodeSafetensors(tensors, { version: VERSION }));
}

/** Bytes of the file; 0 if the model keeps no rows. */
export function sizeOfKeptRows(directory: string): number {
  return statSync(join(directory, FILE), { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * @returns null if there are none, or of another version
 * @throws ArtifactError when the file is damaged
 */
export function readKeptRows(directory: string): HeadState['tensors'] | null {
  if (sizeOfKeptRows(directory) === 0) return null;
  const { tensors, metadata } = decodeSafetensors(new Uint8Array(readFileSync(join(directory, FILE))).buffer);
  return metadata['version'] === VERSION ? tensors : null;
}
