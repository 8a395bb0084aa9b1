import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArtifactError } from '../../engine.js';
import { readBaseArtifact, type BaseArtifact, type BaseReference, type LoadedArtifact } from '../artifact/index.js';
import { resolveLabel, resolveLabels } from '../labels/index.js';
import { loadBaseTagger, type BaseTagger, type ZeroShotEntities } from '../entities/index.js';
import { TableVectors } from '../classification/index.js';
import type { SentenceEncoder, TextEncoder } from '../text-encoder.js';
import { WordTable } from '../word-table/word-table.js';

/** A base model in memory, ready to answer alone or under adapters. */
export interface LoadedBase {
  readonly reference: BaseReference;
  readonly tagger: BaseTagger;
  /** Encoder of the meaning of words and texts, for the heads; null if they see surface features alone. */
  readonly encoder: TextEncoder | null;
  /** Finds entities of labels that are no names of the tagger's types; null if the base has no encoder for it. */
  readonly zeroShot: Pick<ZeroShotEntities, 'find' | 'decisionPoint'> | null;
  /** Vectors of words for classification without training; null if the folder has none. */
  readonly table: WordTable | null;
  /**
   * Vectors of texts that classifiers learn from: those of the encoder, else of the table; null if there is neither.
   */
  readonly sentences: SentenceEncoder | null;
  /**
   * The types for labels requested together, an entry for each label: a type that several claim goes to the one that
   * claims the fewest ("Paris" to "city" rather than "location"). No entry for a label unknown to the base.
   */
  resolve(labels: readonly string[]): ReadonlyMap<string, readonly string[]>;
}

/** By the sha256 of the configurations: many adapters share one base, and a rebuilt one is read again. */
const loaded = new Map<string, LoadedBase>();

/**
 * @param trained the base of an adapter: if that is one of an earlier release, it is loaded in place of the present one
 * @throws ArtifactError when the folder holds no base model of this engine and version
 */
export function loadBase(directory: string, trained: BaseReference | null = null): LoadedBase {
  const earlier = trained && join(directory, EARLIER, trained.sha256);
  const folder = earlier !== null && existsSync(earlier) ? earlier : directory;
  const table = join(directory, TABLE);
  const hasTable = existsSync(table);
  const key = [
    identityOf(folder, 'config.json', 'base model'),
    ...(hasTable ? [identityOf(table, 'config.json', 'table of words')] : []),
  ].join(' ');
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const base = baseFrom(readBaseArtifact(folder), hasTable ? readTable(table) : null);
  loaded.set(key, base);
  return base;
}

/**
 * Folder of the table within that of the base model: a separate artifact, so that the identity of the base does not
 * depend on the table.
 */
const TABLE = 'words';
/** Folder of the base models of earlier releases, by their sha256: what was trained on them is served on them. */
const EARLIER = 'earlier';

/** @throws ArtifactError when the folder holds no table of this engine and version, or a damaged one */
function readTable(directory: string): WordTable {
  const { id, heads, sha256 } = readBaseArtifact(directory);
  if (heads['words'] === undefined) throw new ArtifactError(`${id} has no table of words.`);
  return WordTable.load(`${id} ${sha256}`, heads['words']);
}

function baseFrom(artifact: LoadedArtifact<BaseArtifact>, table: WordTable | null): LoadedBase {
  const entities = artifact.heads['entities'];
  if (entities === undefined) throw new ArtifactError(`The base model ${artifact.id} has no entity head.`);
  const tagger = loadBaseTagger(entities);
  const types = new Set(tagger.labels);
  return {
    reference: { id: artifact.id, sha256: artifact.sha256 },
    tagger,
    encoder: null,
    zeroShot: null,
    table,
    sentences: table && new TableVectors(table),
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
 * @param what the expected content of the folder, for the error
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
