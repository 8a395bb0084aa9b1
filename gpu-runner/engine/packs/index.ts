import { readAdapterArtifact } from '../builtin/artifact/index.js';
import { createModel, type LoadedBase } from '../builtin/inference/index.js';
import { train } from '../builtin/training/train.js';
import type { Engine, Example } from '../engine.js';
import { loadPackBase, openPack } from './base.js';
import { createPackEmbedder } from './embedder.js';
import { EMBEDDER, ENCODER } from './facts.js';

/** Vectors that a training job keeps, so that its rows are encoded once: those of some 10,000 sentences. */
const TRAINING_KEEPS = { maxKeptBytes: 256 * 1024 * 1024, whenFull: 'keep' } as const;
/** Vectors that serving keeps: the heads and tasks of a call, and calls in turn, ask for the same texts. */
const SERVING_KEEPS = { maxKeptBytes: 8 * 1024 * 1024, whenFull: 'forget' } as const;

/** The engine of encoder packs: the heads of the built-in engine, on the vectors of pretrained encoders of others, by onnxruntime-node on the CPU. */
export const engine: Engine = {
  train: async (request, report, signal) =>
    train(
      request,
      loadPackBase(ENCODER, request.baseDirectory, { ...TRAINING_KEEPS, together: hasBoth(request.train) }),
      report,
      signal,
    ),
  load(baseDirectory, adapterDirectory) {
    if (adapterDirectory === null) return createModel(servingBase(baseDirectory, false), {}, 0);
    const { heads, byteSize } = readAdapterArtifact(adapterDirectory, servingBase(baseDirectory, false).reference);
    const { classification, ...others } = heads;
    const together = classification !== undefined && Object.keys(others).length > 0;
    return createModel(servingBase(baseDirectory, together), heads, byteSize);
  },
  embedder: (_id, directory = '') => createPackEmbedder(openPack(EMBEDDER.pack, directory), EMBEDDER.dimensions),
};

/** Whether rows are read for their classes and others for what is in them. */
const hasBoth = (rows: readonly Example[]): boolean =>
  rows.some(({ labels }) => labels !== undefined) &&
  rows.some(({ entities, structures, relations }) => entities ?? structures ?? relations);

const servingBase = (directory: string, together: boolean): LoadedBase =>
  loadPackBase(ENCODER, directory, { ...SERVING_KEEPS, together });
