import type { Application } from '#application/application.js';
import { InvalidError, type ProposedError } from '#domain/errors.js';
import type { ModelChange } from '#domain/model/index.js';
import { trainingJobDecider, type FinishedJob } from '#domain/training-job/index.js';
import { isRefusal, type Errand } from './errands.js';
import { ChangeModel } from './models/commands.js';
import type { SecondPerson } from './proposals/second-person.js';

/** An error that ends work that goes through stages, such as an improvement. Clients see the message. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  constructor(
    message: string,
    /** `refused`: its data say no; nothing broke. */
    readonly outcome: 'failed' | 'refused' = 'failed',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** @throws StoppedError a command is refused; any other error is worth another try */
export async function given<Result>(
  step: string,
  give: () => Promise<Result>,
  outcome?: StoppedError['outcome'],
): Promise<Result> {
  try {
    return await give();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new StoppedError(`${step} was refused: ${saidBy(error)}`, outcome, { cause: error });
  }
}

/** Names fields as requests have them. */
const saidBy = (error: Error): string =>
  error instanceof InvalidError
    ? error.fields
        .map(({ path, message }) => `\`${path.filter((part) => part !== 'body').join('.')}\` ${message}`)
        .join('; ')
    : error.message;

/** @throws StoppedError it ended otherwise, or was deleted */
export async function trainedJob(application: Application, jobId: string, what: string): Promise<FinishedJob> {
  const job = await application.load(trainingJobDecider, jobId);
  if (job.status === 'complete' || job.status === 'deployed') return job;
  const why = job.status === 'failed' ? `failed: ${job.reason}` : `is ${job.status === 'none' ? 'gone' : job.status}`;
  throw new StoppedError(`training job ${jobId} of ${what} ${why}`);
}

/** A promotion as a proposal of the person whose errand it is, where the workspace wants two people; else null. */
export async function proposedPromotion(
  secondPerson: SecondPerson,
  { caller, requestId, commandId }: Errand,
  input: { readonly name: string; readonly change: Extract<ModelChange, { type: 'promote-version' }> },
  actor: string,
): Promise<ProposedError | null> {
  const act = ChangeModel.actOf(input)!;
  if (!(await secondPerson.isNeeded(caller, act))) return null;
  return secondPerson.propose(caller, { requestId, commandId, repeated: true, actor }, act, input);
}
