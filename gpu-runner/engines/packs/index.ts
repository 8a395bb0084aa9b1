import { adapterBase, readAdapterArtifact, type BaseReference } from '../builtin/artifact/index.js';
import { createModel, type LoadedBase } from '../builtin/inference/index.js';
import { train } from '../builtin/training/train.js';
import type { Engine, Example } from '../engine.js';
import { loadPackBase, openPack, packReference } from './base.js';
import { createPackEmbedder } from './embedder.js';
import { PACK_EMBEDDER, ENCODER } from './facts.js';
import type { Wanted } from './pack-encoder.js';
import type { TextEncoderOptions } from './text-encoder.js';

/** Vectors that a training job caches, so that its rows are encoded once: those of some 10,000 sentences. */
const TRAINING_KEEPS = { maxKeptBytes: 256 * 1024 * 1024, whenFull: 'keep' } as const;
/** Vectors that serving keeps: the heads and tasks of a call, and calls in turn, ask for the same texts. */
const SERVING_KEEPS = { maxKeptBytes: 8 * 1024 * 1024, whenFull: 'forget' } as const;

/** How this process has trained: its models, as those of folds, are asked about texts that it has encoded. */
let trainedWith: TextEncoderOptions | null = null;

/**
 * The engine of encoder packs: the heads of the built-in engine, on the vectors of pretrained third-party encoders, by
 * onnxruntime-node on the CPU.
 */
export const engine: Engine = {
  async train(request, report, signal) {
    trainedWith = { ...TRAINING_KEEPS, wanted: wantedBy(request.train) };
    const start = request.startFrom === null ? null : adapterBase(request.startFrom);
    return train(request, loadPackBase(ENCODER, request.baseDirectory, trainedWith, start), report, signal);
  },
  load(baseDirectory, adapterDirectory) {
    if (adapterDirectory === null) return createModel(servingBase(baseDirectory, 'sentence'), {}, 0);
    const trained = adapterBase(adapterDirectory);
    const reference = packReference(ENCODER.id, baseDirectory, trained);
    const { heads, byteSize } = readAdapterArtifact(adapterDirectory, reference);
    const { classification, ...others } = heads;
    const wanted = wantedFor(classification !== undefined, Object.keys(others).length > 0);
    return createModel(servingBase(baseDirectory, wanted, trained), heads, byteSize, adapterDirectory);
  },
  embedder: (_id, directory = '') =>
    createPackEmbedder(openPack(PACK_EMBEDDER.pack, directory, 'sentence'), PACK_EMBEDDER.dimensions),
};

const wantedBy = (rows: readonly Example[]): Wanted =>
  wantedFor(
    rows.some(({ labels, tasks }) => (labels ?? tasks) !== undefined),
    rows.some(({ entities, structures, relations }) => entities ?? structures ?? relations),
  );

/** Vectors that the heads need from a pack: classes need those of texts, the other heads those of words. */
function wantedFor(classes: boolean, others: boolean): Wanted {
  if (classes && others) return 'both';
  return others ? 'words' : 'sentence';
}

const servingBase = (directory: string, wanted: Wanted, trained: BaseReference | null = null): LoadedBase =>
  loadPackBase(ENCODER, directory, trainedWith ?? { ...SERVING_KEEPS, wanted }, trained);
