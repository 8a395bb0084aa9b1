import { withoutPaths } from '#primitives/text/without-paths.js';
import type { DecoderEngine, DecoderTrainResult } from '../decoder-engine.js';
import { processLost, trainingFault } from './faults.js';
import type { FromEngine, TrainMessage } from './messages.js';
import { EngineDiedError, sendUnlessLost, type EngineProcess, type StartEngine } from './process.js';

/** Milliseconds for the process to end by itself. */
const GRACE_MS = 10_000;

export type TrainingReport = Parameters<DecoderEngine['train']>[1];

/** The F1 of the predictions in a file of Python's; null if there are none. */
type F1Of = (predictions: string | null | undefined) => Promise<number | null>;

export interface Trained extends DecoderTrainResult {
  /** File of the predictions for the validation rows; null if there are none. */
  readonly predictions: string | null;
}

/** Trains in a separate Python process, which ends with the training. */
export async function train(
  start: StartEngine,
  message: TrainMessage,
  report: TrainingReport,
  signal: AbortSignal,
  f1Of: F1Of = async () => null,
): Promise<Trained> {
  signal.throwIfAborted();
  const training = new Training(report, signal, f1Of);
  const python = await start((heard) => training.hear(heard)).catch((error: unknown) => {
    throw error instanceof EngineDiedError ? training.lost(error) : error;
  });
  const cancel = () => void python.send({ type: 'cancel', id: null }).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    return await training.run(python, message);
  } finally {
    signal.removeEventListener('abort', cancel);
    await python.stop(GRACE_MS);
  }
}

class Training {
  private readonly end = Promise.withResolvers<Trained>();
  private python: EngineProcess | null = null;

  constructor(
    private readonly report: TrainingReport,
    private readonly signal: AbortSignal,
    private readonly f1Of: F1Of,
  ) {}

  async run(python: EngineProcess, message: TrainMessage): Promise<Trained> {
    this.python = python;
    const lost = python.ended.then((error) => {
      throw this.lost(error);
    });
    lost.catch(() => undefined);
    await sendUnlessLost(python, message);
    return Promise.race([this.end.promise, lost]);
  }

  /** The error of a lost process, whose last lines are reported. */
  lost(error: EngineDiedError | null): Error {
    this.tellLog(error?.log ?? []);
    return processLost(error);
  }

  /** Reports the last lines of a lost process to the log of the job. */
  private tellLog(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const message = withoutPaths(`The process of the torch engine wrote last:\n${lines.join('\n')}`);
    void this.report({ kind: 'log', level: 'warn', message });
  }

  /** A checkpoint is acknowledged once it was stored; nothing else is read until then. */
  async hear(message: FromEngine): Promise<void> {
    switch (message.type) {
      case 'progress': {
        const { fraction, epoch, step } = message;
        return this.report({ kind: 'progress', fraction, epoch, step });
      }
      case 'heartbeat':
        return this.report({ kind: 'working' });
      case 'log':
        return this.report({ kind: 'log', level: message.level, message: message.message });
      case 'epoch': {
        const { type: kind, epoch, epochs, step, trainingLoss, validationLoss, learningRate } = message;
        const f1 = await this.f1Of(message.predictions);
        return this.report({ kind, epoch, epochs, step, trainingLoss, validationLoss, f1, learningRate });
      }
      case 'checkpoint': {
        const { type: kind, seq, predictions, ...checkpoint } = message;
        await this.report({ kind, ...checkpoint, f1: await this.f1Of(predictions) });
        return this.python!.send({ type: 'ack', seq });
      }
      case 'trained': {
        const { directory: artifactDirectory, epochsRun, metrics, predictions = null } = message;
        const { finalTrainingLoss, finalValidationLoss, bestValidationLoss, rewardAccuracy, rewardMargin } = metrics;
        const isRewarded = typeof rewardAccuracy === 'number' && typeof rewardMargin === 'number';
        const figures = {
          ...{ finalTrainingLoss, finalValidationLoss, bestValidationLoss },
          ...(isRewarded && { rewards: { accuracy: rewardAccuracy, margin: rewardMargin } }),
        };
        return this.end.resolve({ artifactDirectory, metrics: figures, epochsRun, predictions });
      }
      case 'error':
        return this.end.reject(message.kind === 'cancelled' ? this.signal.reason : trainingFault(message));
      default:
        throw new Error(`it sent ${message.type} while it trained`);
    }
  }
}
