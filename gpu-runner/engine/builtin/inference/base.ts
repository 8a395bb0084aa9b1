import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArtifactError } from '../../engine.js';
import { readBaseArtifact, type BaseArtifact, type BaseReference, type LoadedArtifact } from '../artifact/index.js';
import { loadBaseTagger, type BaseTagger, type LabelResolver } from '../entities/index.js';
import { createLabelResolver } from './labels.js';

/** A base model in memory, ready to answer alone or under adapters. */
export interface LoadedBase {
  readonly reference: BaseReference;
  readonly tagger: BaseTagger;
  readonly resolveLabel: LabelResolver;
  readonly byteSize: number;
}

/** By the sha256 of the configuration: many adapters share one base, and a rebuilt base is read anew. */
const loaded = new Map<string, LoadedBase>();

/** @throws ArtifactError when the folder holds no base model of this engine and version */
export function loadBase(directory: string): LoadedBase {
  const sha256 = configSha256(directory);
  const known = loaded.get(sha256);
  if (known !== undefined) return known;
  const base = baseFrom(readBaseArtifact(directory));
  loaded.set(sha256, base);
  return base;
}

export function baseFrom(artifact: LoadedArtifact<BaseArtifact>): LoadedBase {
  const entities = artifact.heads['entities'];
  if (entities === undefined) throw new ArtifactError(`The base model ${artifact.id} has no entity head.`);
  const tagger = loadBaseTagger(entities);
  return {
    reference: { id: artifact.id, sha256: artifact.sha256 },
    tagger,
    resolveLabel: createLabelResolver(tagger.labels),
    byteSize: artifact.byteSize,
  };
}

function configSha256(directory: string): string {
  try {
    return createHash('sha256')
      .update(readFileSync(join(directory, 'config.json')))
      .digest('hex');
  } catch (cause) {
    throw new ArtifactError(`There is no base model in ${directory}.`, { cause });
  }
}
