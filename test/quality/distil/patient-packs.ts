import { adapterBase, readAdapterArtifact } from '#gpu-runner/engines/builtin/artifact/index.js';
import { createModel } from '#gpu-runner/engines/builtin/inference/index.js';
import { train } from '#gpu-runner/engines/builtin/training/train.js';
import type { Engine } from '#gpu-runner/engines/engine.js';
import { loadPackBase, packReference } from '#gpu-runner/engines/packs/base.js';
import { ENCODER } from '#gpu-runner/engines/packs/facts.js';
import type { Wanted } from '#gpu-runner/engines/packs/pack-encoder.js';
import { enginesHere } from '../systems.js';

/** Vectors of all texts of a case, with those of their parts, by which two requests in one are told. */
const MAX_KEPT_BYTES = 6 * 1024 ** 3;

/** The engine of encoder packs, which encodes each text once: models share what was encoded for others. */
export const patientPacks = (wanted: Wanted): Pick<Engine, 'train' | 'load'> => ({
  train: async (request, report, signal) => train(request, baseOf(request.baseDirectory, wanted), report, signal),
  load(baseDirectory, adapterDirectory) {
    const reference = packReference(ENCODER.id, baseDirectory, adapterBase(adapterDirectory!));
    const { heads, byteSize } = readAdapterArtifact(adapterDirectory!, reference);
    return createModel(baseOf(baseDirectory, wanted), heads, byteSize, adapterDirectory);
  },
});

/** As its embedder gives them. */
export function sentences(texts: readonly string[]): readonly (Float32Array | null)[] {
  const encoder = baseOf(enginesHere().baseModel(ENCODER.id)!.model.directory, 'sentence').encoder!;
  return texts.map((text) => (encoder.isTooLong(text) ? null : encoder.sentence(text)));
}

const baseOf = (directory: string, wanted: Wanted) =>
  loadPackBase(ENCODER, directory, { wanted, maxKeptBytes: MAX_KEPT_BYTES, whenFull: 'keep' });
