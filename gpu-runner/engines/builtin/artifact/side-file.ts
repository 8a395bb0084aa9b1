import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeadState } from '../head.js';
import { decodeSafetensors, encodeSafetensors } from './safetensors.js';

type Tensors = HeadState['tensors'];

/** Numbers in a file beside the weights: read at the first request that needs them, and a model without them answers as before. */
export class SideFile {
  constructor(
    private readonly name: string,
    private readonly version: string,
  ) {}

  write(directory: string, tensors: Tensors): void {
    writeFileSync(join(directory, this.name), encodeSafetensors(tensors, { version: this.version }));
  }

  /** Bytes of the file; 0 if the model has none. */
  sizeIn(directory: string): number {
    return statSync(join(directory, this.name), { throwIfNoEntry: false })?.size ?? 0;
  }

  /**
   * @returns null if there is none, or one of another version
   * @throws ArtifactError when the file is damaged
   */
  read(directory: string): Tensors | null {
    if (this.sizeIn(directory) === 0) return null;
    const { tensors, metadata } = decodeSafetensors(new Uint8Array(readFileSync(join(directory, this.name))).buffer);
    return metadata['version'] === this.version ? tensors : null;
  }
}

/** The training rows that a model names to explain its answers. */
export const TRAINING_ROWS = new SideFile('training_rows.safetensors', '1');

/** What the texts are like that a model learned from. */
export const LEARNED_TEXTS = new SideFile('learned_texts.safetensors', '1');
