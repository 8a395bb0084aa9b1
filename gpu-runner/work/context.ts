import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engine/engine.js';
import type { Progress, Report } from '../contract/work.js';
import type { AttemptObjects } from './patient-objects.js';

/** What an attempt has in hand inside its process. */
export interface WorkContext {
  readonly engine: Engine;
  readonly baseDirectory: string;
  readonly objectStore: AttemptObjects;
  /** A folder of this attempt alone. */
  readonly directory: string;
  readonly say: Say;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
}

/** What an attempt tells its runner. Log lines are numbered into blocks by the runner. */
export interface Say {
  report(report: Exclude<Report, { kind: 'log' }>): void;
  progress(progress: Progress): void;
  log(level: 'info' | 'warn' | 'error', message: string, source?: string): void;
}

/** The attempt cannot be made here as it was asked for. The message is for the user. */
export class UnfitRunnerError extends Error {
  override readonly name = 'UnfitRunnerError';
}

/** @throws UnfitRunnerError when the engine or the base model is another than the one that the request pins */
export async function assertPinned(
  { engine, baseDirectory }: WorkContext,
  pinned: {
    readonly engine: { readonly name: string; readonly version: string };
    readonly baseModel: { readonly id: string; readonly sha256: string };
  },
): Promise<void> {
  if (engine.name !== pinned.engine.name || engine.version !== pinned.engine.version)
    throw new UnfitRunnerError(
      `This was asked of engine ${pinned.engine.name} ${pinned.engine.version}, ` +
        `but the runner has ${engine.name} ${engine.version}. Start it again as a new one.`,
    );
  const sha256 = await baseModelSha256(baseDirectory);
  if (sha256 !== pinned.baseModel.sha256)
    throw new UnfitRunnerError(
      `The base model ${pinned.baseModel.id} is not the one this was asked of: its sha256 is ${sha256}, ` +
        `not ${pinned.baseModel.sha256}. Start it again as a new one.`,
    );
}

/** Identifies a base model: the sha256 of its configuration, which holds that of its numbers. */
export async function baseModelSha256(baseDirectory: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(join(baseDirectory, 'config.json')))
    .digest('hex');
}
