import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readAll } from 'node:stream/consumers';
import { inputOf } from './draws.js';
import { calibrationError, figureOf, type Prediction } from './scoring.js';
import type { DataSet, RowCount } from './sets.js';
import type { System } from './systems.js';

/** A system that learns from a draw of rows, and answers the official test rows. */
export interface Trial {
  readonly set: DataSet;
  readonly rows: RowCount;
  readonly draw: number;
  readonly system: System;
}

/** Output of the process of a trial: a line of JSON. */
export interface Output {
  /** Predictions, one for each test row. */
  readonly predictions: readonly Prediction[];
  readonly train_cpu_seconds: number;
  readonly cpu_ms_a_text: number;
  /** Most memory that the process had, in training or afterwards. */
  readonly peak_mb: number;
  /** On disk, without a base model. */
  readonly model_mb: number;
}

/** The figures of a trial. */
export interface Result extends Omit<Output, 'predictions'> {
  readonly set: string;
  readonly rows: RowCount;
  readonly draw: number;
  readonly system: string;
  /** Micro-F1; accuracy for classes. */
  readonly figure: number;
  readonly calibration_error: number | null;
  /** Date of the measurement, in UTC. */
  readonly date: string;
}

/** Native libraries use one thread each: CPU seconds are then those of the work. Python leaves no files beside its scripts. */
const ENVIRONMENT = {
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  PYTHONDONTWRITEBYTECODE: '1',
};

/** Runs a trial in a process of its own. @throws MissingSystemError @throws Error when the process fails */
export async function measure({ set, rows, draw, system }: Trial): Promise<Result> {
  const [command, ...args] = await system.command(set.head);
  const child = spawn(command!, args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...ENVIRONMENT,
      ...(set.descriptions && { LABEL_DESCRIPTIONS: JSON.stringify(set.descriptions) }),
    },
  });
  const closed = once(child, 'close');
  // A process that fails before it has read everything reports that by its status.
  child.stdin.on('error', () => undefined).end(inputOf(set, rows, draw));
  const written = await readAll(child.stdout);
  const [status] = await closed;
  if (status !== 0) throw new Error(`${system.name} ended with status ${status}`);
  const { predictions, ...figures } = JSON.parse(written) as Output;
  const gold = set.test();
  if (predictions.length !== gold.length) throw new Error(`${system.name} did not answer every text`);
  return {
    set: set.name,
    rows,
    draw,
    system: system.name,
    figure: figureOf(set.head, gold, predictions),
    calibration_error: calibrationError(set.head, gold, predictions),
    ...figures,
    date: new Date().toISOString().slice(0, 10),
  };
}
