import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrainingError, type TrainRequest } from '../../engine.js';
import {
  ARTIFACT_VERSION,
  canonicalJson,
  decodeSafetensors,
  encodeSafetensors,
  TRAINER_VERSION,
} from '../artifact/index.js';
import type { HeadState, JsonValue, Tensor } from '../head.js';
import type { Merit } from './heads.js';

/** A finished epoch. A type, not an interface, so that it is JSON. */
export type EpochRecord = {
  readonly epoch: number;
  readonly step: number;
  readonly trainingLoss: number;
  readonly validationLoss: number | null;
  /** F1 of the served form of the weights. */
  readonly f1: number | null;
  readonly merit: Merit;
};

/** State of a run between two steps. A run resumes from it and the states of the heads' trainers. */
export interface RunState {
  /** Epochs finished. */
  epoch: number;
  /** Completed steps of the current epoch. */
  stepInEpoch: number;
  /** Optimiser steps done, of all heads. */
  step: number;
  /** Sum of the step losses of the current epoch, one for each head. */
  lossSums: number[];
  history: EpochRecord[];
  /** The best epoch so far, and the heads as they were then. */
  best: { readonly epoch: number; readonly heads: Readonly<Record<string, HeadState>> } | null;
}

const FILES = { facts: 'training_state.json', tensors: 'training_state.safetensors' } as const;

/**
 * Writes the state beside a checkpoint's artifact.
 * @param trainers states of the heads' trainers
 */
export function writeRunState(
  directory: string,
  fingerprint: string,
  run: RunState,
  trainers: Readonly<Record<string, HeadState>>,
): void {
  const { best, ...progress } = run;
  const facts: JsonValue = {
    ...progress,
    fingerprint,
    trainersVersion: TRAINER_VERSION,
    best_epoch: best?.epoch ?? null,
    best: configsOf(best?.heads ?? {}),
    trainers: configsOf(trainers),
  };
  const tensors = { ...named('best', best?.heads ?? {}), ...named('trainers', trainers) };
  writeFileSync(join(directory, FILES.tensors), encodeSafetensors(tensors));
  writeFileSync(join(directory, FILES.facts), canonicalJson(facts));
}

/**
 * @returns null when it was written by trainers of another version, which these cannot continue
 * @throws TrainingError when the folder holds no state, or that of a job with other rows or settings
 */
export function readRunState(
  directory: string,
  fingerprint: string,
): { readonly run: RunState; readonly trainers: Readonly<Record<string, HeadState>> } | null {
  let facts: StoredFacts;
  let tensors: Readonly<Record<string, Tensor>>;
  try {
    facts = JSON.parse(readFileSync(join(directory, FILES.facts), 'utf8')) as StoredFacts;
    const bytes = readFileSync(join(directory, FILES.tensors));
    tensors = decodeSafetensors(new Uint8Array(bytes).buffer).tensors;
  } catch (cause) {
    throw new TrainingError(`The checkpoint cannot be resumed: its training state is not readable.`, {
      cause,
    });
  }
  if (facts.fingerprint !== fingerprint)
    throw new TrainingError(`The checkpoint cannot be resumed: it belongs to a job with other rows or settings.`);
  if (facts.trainersVersion !== TRAINER_VERSION) return null;
  const { epoch, stepInEpoch, step, lossSums, history } = facts;
  const best =
    facts.best_epoch === null ? null : { epoch: facts.best_epoch, heads: assembled('best', facts.best, tensors) };
  return {
    run: { epoch, stepInEpoch, step, lossSums, history, best },
    trainers: assembled('trainers', facts.trainers, tensors),
  };
}

/** Inputs that decide a run's outcome. A state is only resumed by a run with the same ones. */
export function fingerprintOf(request: TrainRequest, baseSha256: string, startSha256: string | null): string {
  const { settings, train, validation } = request;
  const hash = createHash('sha256');
  hash.update(canonicalJson({ engineVersion: ARTIFACT_VERSION, baseSha256, startSha256, settings: { ...settings } }));
  for (const rows of [train, validation]) {
    hash.update(`${rows.length} rows\n`);
    for (const row of rows) hash.update(`${JSON.stringify(row)}\n`);
  }
  return hash.digest('hex');
}

interface StoredFacts extends Omit<RunState, 'best'> {
  readonly fingerprint: string;
  /** Builds before 2 wrote none. */
  readonly trainersVersion?: number;
  readonly best_epoch: number | null;
  readonly best: Readonly<Record<string, HeadState['config']>>;
  readonly trainers: Readonly<Record<string, HeadState['config']>>;
}

function configsOf(heads: Readonly<Record<string, HeadState>>): { [head: string]: JsonValue } {
  return Object.fromEntries(Object.entries(heads).map(([name, state]) => [name, state.config]));
}

function named(group: string, heads: Readonly<Record<string, HeadState>>): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(heads).flatMap(([head, state]) =>
      Object.entries(state.tensors).map(([name, tensor]) => [`${group}.${head}.${name}`, tensor]),
    ),
  );
}

function assembled(
  group: string,
  configs: StoredFacts['best'],
  tensors: Readonly<Record<string, Tensor>>,
): Readonly<Record<string, HeadState>> {
  return Object.fromEntries(
    Object.entries(configs).map(([head, config]) => {
      const prefix = `${group}.${head}.`;
      const own = Object.entries(tensors).filter(([name]) => name.startsWith(prefix));
      return [
        head,
        { config, tensors: Object.fromEntries(own.map(([name, tensor]) => [name.slice(prefix.length), tensor])) },
      ];
    }),
  );
}
