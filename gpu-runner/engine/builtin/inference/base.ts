import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArtifactError } from '../../engine.js';
import { readBaseArtifact, type BaseArtifact, type BaseReference, type LoadedArtifact } from '../artifact/index.js';
import { resolveLabel, resolveLabels } from '../labels/index.js';
import { loadBaseTagger, type BaseTagger } from '../entities/index.js';
import type { TextEncoder } from '../text-encoder.js';

/** A base model in memory, ready to answer alone or under adapters. */
export interface LoadedBase {
  readonly reference: BaseReference;
  readonly tagger: BaseTagger;
  /** Encoder of the meaning of words and texts, for the heads; null if they see surface features alone. */
  readonly encoder: TextEncoder | null;
  /**
   * The types that stand for labels asked for together, an entry for each label: a type that several claim goes to the one
   * that claims the fewest ("Paris" to "city" rather than "location"). No entry for a label that means nothing to the base.
   */
  resolve(labels: readonly string[]): ReadonlyMap<string, readonly string[]>;
}

/** By the sha256 of the configuration: many adapters share one base, and a rebuilt base is read anew. */
const loaded = new Map<string, LoadedBase>();

/** @throws ArtifactError when the folder holds no base model of this engine and version */
export function loadBase(directory: string): LoadedBase {
  const sha256 = identityOf(directory, 'config.json', 'base model');
  const known = loaded.get(sha256);
  if (known !== undefined) return known;
  const base = baseFrom(readBaseArtifact(directory));
  loaded.set(sha256, base);
  return base;
}

function baseFrom(artifact: LoadedArtifact<BaseArtifact>): LoadedBase {
  const entities = artifact.heads['entities'];
  if (entities === undefined) throw new ArtifactError(`The base model ${artifact.id} has no entity head.`);
  const tagger = loadBaseTagger(entities);
  const types = new Set(tagger.labels);
  return {
    reference: { id: artifact.id, sha256: artifact.sha256 },
    tagger,
    encoder: null,
    resolve: (labels) => resolveAmong(types, labels),
  };
}

function resolveAmong(types: ReadonlySet<string>, labels: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const isKnown = (type: string) => types.has(type);
  const known = labels.filter((label) => resolveLabel(label).some(isKnown));
  return new Map([...resolveLabels(known)].map(([label, claimed]) => [label, claimed.filter(isKnown)]));
}

/**
 * Hash of the file that identifies a base model.
 * @param what the folder should hold, for the error
 * @throws ArtifactError when the file cannot be read
 */
export function identityOf(directory: string, file: string, what: string): string {
  try {
    return createHash('sha256')
      .update(readFileSync(join(directory, file)))
      .digest('hex');
  } catch (cause) {
    throw new ArtifactError(`There is no ${what}.`, { cause });
  }
}
