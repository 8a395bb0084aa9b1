import { knownPack, PackError, readPack } from '#model-packs/index.js';
import { identityOf, loadBase, type LoadedBase } from '../builtin/inference/index.js';
import { builtin } from '../builtin/registration.js';
import { ArtifactError } from '../engine.js';
import { GraphError } from './onnx-graph.js';
import { PackEncoder } from './pack-encoder.js';
import { PackTextEncoder, type TextEncoderOptions } from './text-encoder.js';

/** Packs in memory, by folder and manifest: many adapters share one. */
const opened = new Map<string, PackEncoder>();
/** The same, with how they are used. */
const loaded = new Map<string, LoadedBase>();

/**
 * The built-in base model, with a pack under its heads.
 * @throws ArtifactError when a file of the pack is missing or damaged, or what runs it is
 */
export function loadPackBase(
  { id, pack }: { readonly id: string; readonly pack: string },
  directory: string,
  options: TextEncoderOptions,
): LoadedBase {
  const sha256 = identityOf(directory, 'manifest.json', 'encoder pack');
  const own = loadBase(builtin.baseModels[0]!.directory);
  const key = JSON.stringify([directory, sha256, own.reference.sha256, options]);
  const known = loaded.get(key);
  if (known) return known;
  const encoderKey = JSON.stringify([directory, sha256]);
  const encoder = opened.get(encoderKey) ?? openPack(pack, directory);
  opened.set(encoderKey, encoder);
  const base: LoadedBase = {
    ...own,
    reference: { id, sha256, tagger: own.reference },
    encoder: new PackTextEncoder(encoder, options),
  };
  loaded.set(key, base);
  return base;
}

/** Reads a pack, checks every byte, and opens it. @throws ArtifactError */
export function openPack(name: string, directory: string): PackEncoder {
  const pack = knownPack(name)!;
  try {
    return new PackEncoder({ pack, ...readPack(pack, directory) });
  } catch (error) {
    if (error instanceof PackError || error instanceof GraphError)
      throw new ArtifactError(error.message, { cause: error });
    throw error;
  }
}
