import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArtifactError, type TrainingType } from '../../engine.js';
import type { HeadState, JsonValue, Tensor } from '../head.js';
import { decodeSafetensors, encodeSafetensors } from './safetensors.js';
import { ARTIFACT_VERSION, ENGINE_NAME, FEATURE_VERSION, TOKENIZER_VERSION, TRAINER_VERSION } from './versions.js';
import { isRecord } from '#primitives/values.js';

/**
 * A model on disk: one folder with a JSON configuration, the numbers as safetensors, and for people `metrics.json` and a model
 * card. An adapter's files are named as other adapter tools name theirs; a base model's as a base model's.
 *
 * The configuration holds the sha256 of the numbers, so the sha256 of the configuration identifies the whole model.
 */

export interface BaseReference {
  readonly id: string;
  /** Hex sha256 of the base's `config.json`, or of the `manifest.json` of an encoder pack. */
  readonly sha256: string;
  /** The base model that provides its entity tagger; absent if it is its own base. */
  readonly tagger?: BaseReference;
}

/** Origin of an adapter, for serving and for readers. */
interface TrainingFacts {
  readonly trainingType: TrainingType;
  readonly loraR: number;
  readonly loraAlpha: number;
  readonly seed: number;
}

type Artifact = BaseArtifact | AdapterArtifact;

export interface BaseArtifact {
  readonly kind: 'base';
  readonly id: string;
  readonly heads: Readonly<Record<string, HeadState>>;
}

export interface AdapterArtifact {
  readonly kind: 'adapter';
  readonly base: BaseReference;
  readonly training: TrainingFacts;
  readonly heads: Readonly<Record<string, HeadState>>;
}

/** Files beside the model that serving does not need. */
interface ArtifactDocuments {
  /** Written to `metrics.json`. */
  readonly metrics?: JsonValue;
  /** Written to `README.md`. */
  readonly card?: string;
}

export type LoadedArtifact<A extends Artifact = Artifact> = A & {
  /** Hex sha256 of the configuration file, and through it of the numbers. */
  readonly sha256: string;
  /** Size of the numbers in memory. */
  readonly byteSize: number;
};

const FILE_NAMES = {
  base: { config: 'config.json', tensors: 'model.safetensors' },
  adapter: { config: 'adapter_config.json', tensors: 'adapter_model.safetensors' },
} as const;

/**
 * Writes the folder, creating it where needed. Equal artifacts give equal bytes: no clock, no absolute path, keys in order.
 * @returns the sha256 by which other artifacts refer to this one
 */
export function writeArtifact(directory: string, artifact: Artifact, documents: ArtifactDocuments = {}): string {
  mkdirSync(directory, { recursive: true });
  const names = FILE_NAMES[artifact.kind];
  const tensors = encodeSafetensors(flattenTensors(artifact.heads));
  writeFileSync(join(directory, names.tensors), tensors);
  const config = canonicalJson(configOf(artifact, sha256(tensors)));
  writeFileSync(join(directory, names.config), config);
  if (documents.metrics !== undefined) writeFileSync(join(directory, 'metrics.json'), canonicalJson(documents.metrics));
  if (documents.card !== undefined) writeFileSync(join(directory, 'README.md'), documents.card);
  return sha256(config);
}

/** @throws ArtifactError when the folder holds no base model of this engine and format, or a damaged one */
export function readBaseArtifact(directory: string): LoadedArtifact<BaseArtifact> {
  const { config, heads, ...identity } = readFolder(directory, 'base');
  if (typeof config['id'] !== 'string') throw new ArtifactError('The base model has no id.');
  return { kind: 'base', id: config['id'], heads, ...identity };
}

/**
 * @param base the base that the adapter will be put on, or null to read it without one
 * @throws ArtifactError when the folder holds no adapter of this engine and format, one for another base, or a damaged one
 */
export function readAdapterArtifact(directory: string, base: BaseReference | null): LoadedArtifact<AdapterArtifact> {
  const { config, heads, ...identity } = readFolder(directory, 'adapter');
  const reference = baseReference(config['base_model']);
  if (base !== null) assertSameBase(reference, base);
  return {
    kind: 'adapter',
    base: reference,
    training: trainingFacts(config),
    heads,
    ...identity,
  };
}

/** The base that an adapter was trained on. @throws ArtifactError when the folder holds no adapter */
export const adapterBase = (directory: string): BaseReference =>
  baseReference(parseConfig(readBytes(directory, FILE_NAMES.adapter.config))['base_model']);

function baseReference(reference: unknown): BaseReference {
  if (!isRecord(reference) || typeof reference['id'] !== 'string' || !isSha256(reference['sha256']))
    throw new ArtifactError('The adapter names no base model.');
  const { id, sha256: hash, tagger } = reference;
  return { id, sha256: hash, ...(tagger === undefined ? {} : { tagger: baseReference(tagger) }) };
}

const isSha256 = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

function assertSameBase(trained: BaseReference, here: BaseReference): void {
  if (trained.sha256 !== here.sha256)
    throw new ArtifactError(
      `The adapter was trained on base model ${trained.id} with sha256 ${trained.sha256}; ` +
        `here is ${here.id} with ${here.sha256}. Train it again on this base.`,
    );
  if (trained.tagger && here.tagger) assertSameBase(trained.tagger, here.tagger);
}

function configOf(artifact: Artifact, tensorsSha256: string): JsonValue {
  const heads = Object.fromEntries(Object.entries(artifact.heads).map(([name, head]) => [name, head.config]));
  const common = {
    kind: artifact.kind,
    engine: ENGINE_NAME,
    engine_version: ARTIFACT_VERSION,
    tokenizer_version: TOKENIZER_VERSION,
    feature_version: FEATURE_VERSION,
    tensors_sha256: tensorsSha256,
    heads,
  };
  if (artifact.kind === 'base') return { ...common, id: artifact.id };
  const { trainingType, loraR, loraAlpha, seed } = artifact.training;
  return {
    ...common,
    trainer_version: TRAINER_VERSION,
    base_model: plainReference(artifact.base),
    training_type: trainingType,
    r: loraR,
    lora_alpha: loraAlpha,
    seed,
  };
}

const plainReference = ({ id, sha256: hash, tagger }: BaseReference): { [key: string]: JsonValue } => ({
  id,
  sha256: hash,
  ...(tagger && { tagger: plainReference(tagger) }),
});

function readFolder(directory: string, kind: Artifact['kind']) {
  const names = FILE_NAMES[kind];
  const configBytes = readBytes(directory, names.config);
  const config = parseConfig(configBytes);
  assertVersions(config, kind);
  const bytes = readBytes(directory, names.tensors);
  if (config['tensors_sha256'] !== sha256(bytes))
    throw new ArtifactError(`The artifact is damaged: ${names.tensors} is not the file it was saved with.`);
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  const { tensors } = decodeSafetensors(buffer);
  return {
    config,
    heads: assembleHeads(config, tensors),
    sha256: sha256(configBytes),
    byteSize: bytes.length,
  };
}

function readBytes(directory: string, file: string): Buffer {
  try {
    return readFileSync(join(directory, file));
  } catch (cause) {
    throw new ArtifactError(`The artifact has no readable ${file}.`, { cause });
  }
}

function parseConfig(bytes: Buffer): Record<string, unknown> {
  let config: unknown;
  try {
    config = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new ArtifactError('The configuration of the artifact is not JSON.', { cause });
  }
  if (!isRecord(config)) throw new ArtifactError('The configuration of the artifact is not a JSON object.');
  return config;
}

function assertVersions(config: Record<string, unknown>, kind: Artifact['kind']): void {
  const expected = {
    kind,
    engine: ENGINE_NAME,
    engine_version: ARTIFACT_VERSION,
    tokenizer_version: TOKENIZER_VERSION,
    feature_version: FEATURE_VERSION,
  };
  for (const [key, value] of Object.entries(expected))
    if (config[key] !== value)
      throw new ArtifactError(
        `The artifact has ${key} ${JSON.stringify(config[key])}; this engine serves ${JSON.stringify(value)}.`,
      );
}

function trainingFacts(config: Record<string, unknown>): TrainingFacts {
  const { training_type: trainingType, r: loraR, lora_alpha: loraAlpha, seed } = config;
  if (
    (trainingType !== 'lora' && trainingType !== 'full') ||
    typeof loraR !== 'number' ||
    typeof loraAlpha !== 'number' ||
    typeof seed !== 'number'
  )
    throw new ArtifactError('The adapter does not say how it was trained.');
  return { trainingType, loraR, loraAlpha, seed };
}

/** A tensor is named `<head>.<tensor>`; a head's name has no dot. */
function flattenTensors(heads: Readonly<Record<string, HeadState>>): Record<string, Tensor> {
  const flat: [string, Tensor][] = [];
  for (const [head, state] of Object.entries(heads))
    for (const [name, tensor] of Object.entries(state.tensors)) flat.push([`${head}.${name}`, tensor]);
  return Object.fromEntries(flat);
}

function assembleHeads(
  config: Record<string, unknown>,
  tensors: Readonly<Record<string, Tensor>>,
): Readonly<Record<string, HeadState>> {
  const heads = new Map<string, { config: Record<string, JsonValue>; tensors: [string, Tensor][] }>();
  if (!isRecord(config['heads'])) throw new ArtifactError('The artifact lists no heads.');
  for (const [name, head] of Object.entries(config['heads'])) {
    if (!isRecord(head)) throw new ArtifactError(`Head ${name} of the artifact has no configuration.`);
    heads.set(name, { config: head as Record<string, JsonValue>, tensors: [] });
  }
  for (const [name, tensor] of Object.entries(tensors)) {
    const dot = name.indexOf('.');
    const head = heads.get(name.slice(0, dot));
    if (dot < 0 || head === undefined) throw new ArtifactError(`Tensor ${name} of the artifact belongs to no head.`);
    head.tensors.push([name.slice(dot + 1), tensor]);
  }
  return Object.fromEntries(
    [...heads].map(([name, head]) => [name, { config: head.config, tensors: Object.fromEntries(head.tensors) }]),
  );
}

/** JSON with sorted keys and a final newline, so that equal values are equal files. */
export function canonicalJson(value: JsonValue): string {
  return `${JSON.stringify(value, (_key, entry: unknown) => (isRecord(entry) ? sortKeys(entry) : entry), 2)}\n`;
}

function sortKeys(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
