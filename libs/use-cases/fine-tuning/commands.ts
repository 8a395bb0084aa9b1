import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import type { ReadyVersion } from '#domain/dataset/index.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { findFile } from '../files/queries.js';
import { UseCases } from '../use-cases.js';
import { CallerCommand } from '../commands-and-queries.js';
import { asRequested, StartTrainingJob } from '../training-jobs/commands/start.js';
import type { TrainingJobOrder } from '../training-jobs/order.js';
import { CHECKPOINT_ID } from '../files/ids.js';

/** Time for a new file to become ready: clients start a job without waiting for it. */
const PROCESSING_MS = 10_000;
const STEP_MS = 100;

/** A requested fine-tuning job; null for values that the engine or the rows decide. */
export interface FineTuningOrder {
  readonly model: string;
  readonly trainingFile: string;
  /** The file whose rows are held out; null: a share of the training rows is. */
  readonly validationFile: string | null;
  readonly method: 'supervised' | 'dpo' | null;
  readonly epochs: number | null;
  readonly batchSize: number | null;
  readonly learningRateMultiplier: number | null;
  readonly beta: number | null;
  readonly suffix: string | null;
  readonly seed: number | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

export class CreateFineTuningJob extends CallerCommand<FineTuningOrder, TrainingJobDocument> {
  static override readonly rateLimit = StartTrainingJob.rateLimit;
}

/** Starts a training job on the dataset version that a file is. */
@CommandHandler(CreateFineTuningJob)
export class CreateFineTuningJobHandler implements ICommandHandler<CreateFineTuningJob> {
  constructor(
    private readonly application: Application,
    private readonly useCases: UseCases,
  ) {}

  /** @throws InvalidError, NotFoundError, ConflictError while the file is processed, and as `StartTrainingJob` */
  async execute({ caller, identity, input: asked }: CreateFineTuningJob): Promise<TrainingJobDocument> {
    const jobId = derivedId(identity.commandId, 'training-job');
    const known = await this.application.recall(trainingJobDecider, jobId, identity);
    if (known) return asRequested(known);
    const files = await Promise.all([
      this.readyFile(caller, asked.trainingFile, 'training_file'),
      ...(asked.validationFile === null ? [] : [this.readyFile(caller, asked.validationFile, 'validation_file')]),
    ]);
    requireMethod(asked, files[0]);
    try {
      return await this.useCases.execute(new StartTrainingJob(caller, identity, orderOf(asked, files)));
    } catch (error) {
      throw error instanceof InvalidError ? underOwnNames(error) : error;
    }
  }

  private async readyFile(caller: Caller, fileId: string, field: string): Promise<ReadyVersion> {
    const invalidFile = (message: string) => new InvalidError({ path: ['body', field], message, type: 'not_allowed' });
    for (const deadline = performance.now() + PROCESSING_MS; ;) {
      const version = await findFile(this.application, caller, fileId);
      if (version.purpose !== undefined)
        throw invalidFile(`names a file whose purpose is ${version.purpose}; upload it with the purpose fine-tune`);
      if (version.status === 'ready') return version;
      if (version.status === 'initialized')
        throw new ConflictError(`file ${fileId} has no content yet; upload it first`);
      if (version.status === 'failed') throw invalidFile(`names a file that cannot be learned from: ${version.reason}`);
      if (performance.now() > deadline)
        throw new ConflictError(`file ${fileId} is still being processed; start the job once its status is processed`);
      await sleep(STEP_MS);
    }
  }
}

/** @throws InvalidError when the rows are for another method */
function requireMethod({ method, beta, trainingFile }: FineTuningOrder, { contents }: ReadyVersion): void {
  const isPairs = contents.heads.includes('preferences');
  if (method === null || (method === 'dpo') === isPairs) return;
  const [rows, fitting] = isPairs ? ['pairs of answers', 'dpo'] : ['no pairs of answers', 'supervised'];
  const message = `is ${method}, and the rows of ${trainingFile} are ${rows}: send ${fitting}${beta === null ? '' : ', without beta'}`;
  throw new InvalidError({ path: ['body', 'method', 'type'], message, type: 'not_allowed' });
}

/** @param files to learn from, and those whose rows are held out */
function orderOf(asked: FineTuningOrder, files: readonly ReadyVersion[]): TrainingJobOrder {
  const { suffix, metadata, learningRateMultiplier } = asked;
  return {
    model_name: suffix,
    datasets: files.map(({ name, versionNumber }, at) => ({ name, version: versionNumber, held_out: at > 0 })),
    base_model: baseModelOf(asked.model),
    nr_epochs: asked.epochs,
    batch_size: asked.batchSize,
    dpo_beta: asked.beta,
    seed: asked.seed,
    fineTuning: { suffix, metadata, learningRateMultiplier },
  };
}

/** A checkpoint is named as the routes here write it. */
const baseModelOf = (model: string): string =>
  model.startsWith(CHECKPOINT_ID.prefix) ? CHECKPOINT_ID.read(model) : model;

/** Fields of a native body, as this route calls them. */
const OWN_NAMES: Readonly<Record<string, readonly string[]>> = {
  base_model: ['model'],
  model_name: ['suffix'],
  datasets: ['training_file'],
  nr_epochs: ['hyperparameters', 'n_epochs'],
  batch_size: ['hyperparameters', 'batch_size'],
  learning_rate: ['hyperparameters', 'learning_rate_multiplier'],
  dpo_beta: ['method', 'dpo', 'hyperparameters', 'beta'],
};

function underOwnNames({ fields }: InvalidError): InvalidError {
  return new InvalidError(
    fields.map((field) => {
      // The second dataset is the validation file.
      if (field.path[1] === 'datasets' && field.path[2] === 1) return { ...field, path: ['body', 'validation_file'] };
      const at = field.path.findIndex((part) => typeof part === 'string' && part in OWN_NAMES);
      return at === -1 ? field : { ...field, path: ['body', ...OWN_NAMES[field.path[at]!]!] };
    }),
  );
}
