import { knownPack, PackError, readPack } from '#models/packs/index.js';
import type { BaseReference } from '../builtin/artifact/index.js';
import { identityOf, loadBase, type LoadedBase } from '../builtin/inference/index.js';
import { ZeroShotEntities } from '../builtin/entities/index.js';
import { builtin } from '../builtin/registration.js';
import { ArtifactError } from '../engine.js';
import { GraphError } from './onnx-graph.js';
import { PackEncoder, type Wanted } from './pack-encoder.js';
import { zeroShotWeights } from './zero-shot/weights.js';
import { PackTextEncoder, type TextEncoderOptions } from './text-encoder.js';

/** Packs in memory, by folder and manifest: the embedder and many adapters share one. */
const opened = new Map<string, PackEncoder>();
/** The same under the heads, with how they are used. */
const loaded = new Map<string, LoadedBase>();

/**
 * The built-in base model, with a pack under its heads.
 * @param trained the base of an adapter, whose tagger may be an earlier one
 * @throws ArtifactError when a file of the pack is missing or damaged, or what runs it is
 */
export function loadPackBase(
  { id, pack }: { readonly id: string; readonly pack: string },
  directory: string,
  options: TextEncoderOptions,
  trained: BaseReference | null = null,
): LoadedBase {
  const sha256 = identityOfPack(directory);
  const own = taggerOf(trained);
  const key = JSON.stringify([directory, sha256, own.reference.sha256, options]);
  const known = loaded.get(key);
  if (known) return known;
  const encoder = new PackTextEncoder(openPack(pack, directory, options.wanted), options);
  const zeroShot = new ZeroShotEntities(own.tagger, encoder, zeroShotWeights());
  const reference = packReference(id, directory, trained);
  const base: LoadedBase = { ...own, reference, encoder, zeroShot, sentences: encoder };
  loaded.set(key, base);
  return base;
}

/**
 * A pack that is ready for these results. At the first request, it is read and every byte is verified.
 * @throws ArtifactError
 */
export function openPack(name: string, directory: string, wanted: Wanted): PackEncoder {
  const key = JSON.stringify([directory, identityOfPack(directory)]);
  const pack = knownPack(name)!;
  try {
    const encoder = opened.get(key) ?? new PackEncoder({ pack, ...readPack(pack, directory) });
    encoder.open(wanted);
    opened.set(key, encoder);
    return encoder;
  } catch (error) {
    if (error instanceof PackError || error instanceof GraphError)
      throw new ArtifactError(error.message, { cause: error });
    throw error;
  }
}

/**
 * Reference to the pack in artifacts that are trained on it.
 * @param trained as in `loadPackBase`
 * @throws ArtifactError
 */
export function packReference(id: string, directory: string, trained: BaseReference | null): BaseReference {
  return { id, sha256: identityOfPack(directory), tagger: taggerOf(trained).reference };
}

const taggerOf = (trained: BaseReference | null): LoadedBase =>
  loadBase(builtin.baseModels[0]!.directory, trained?.tagger);

const identityOfPack = (directory: string): string => identityOf(directory, 'manifest.json', 'encoder pack');
