import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, reviewerOf, type Caller, type RequestIdentity } from '#application/caller.js';
import { ConflictError, InvalidError, NotFoundError } from '#domain/errors.js';
import {
  feedbackDecider,
  feedbackRemovalDecider,
  VERDICTS,
  VERDICT_TRAITS,
  WRONG_VERDICTS,
  type FeedbackGiven,
  type Verdict,
} from '#domain/feedback/index.js';
import type { Json } from '#domain/json.js';
import { feedbackDocuments } from '#projections/feedback/queries.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import type { CallInHistory } from '../corrected-output/asked.js';
import { checkCorrectedOutput } from '../corrected-output/corrected-output.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { jobOnLog } from '../../training-jobs/require-job.js';
import { History, isComplete } from '../history.js';
import { RecordReader } from '../record-reader.js';

/** A verdict on a call. null as the verdict or the corrected output, without the other one, removes the reviewer's verdict. */
interface Judgement {
  readonly verdict?: Verdict | null;
  readonly corrected_output?: unknown;
  /** The older form of an incorrect verdict with its corrected output. */
  readonly correction?: unknown;
  readonly notes?: string | null;
  /** null or absent: the caller. */
  readonly reviewer?: string | null;
  /** Labels of the corrected output that the call did not request. */
  readonly new_labels?: readonly string[] | null;
}

interface JudgedCall {
  readonly inferenceId: string;
  readonly judgement: Judgement;
}

export class GiveFeedback extends CallerCommand<JudgedCall, ReturnType<typeof accepted>> {}

@CommandHandler(GiveFeedback)
export class GiveFeedbackHandler implements ICommandHandler<GiveFeedback> {
  constructor(
    private readonly application: Application,
    private readonly history: History,
    private readonly reader: RecordReader,
  ) {}

  async execute({ caller, identity, input: { inferenceId, judgement } }: GiveFeedback) {
    if (isRemoval(judgement)) return this.remove(caller, identity, inferenceId, judgement);
    const { verdict, correctedOutput, field, newLabels } = verdictOf(judgement);
    const known = await this.application.recall(feedbackDecider, inferenceId, identity);
    if (known) return accepted(inferenceId, known.latest!);
    const document = await this.call(caller, inferenceId, (each) => correctedOutput === null || isComplete(each));
    if (correctedOutput !== null)
      checkCorrectedOutput(correctedOutput, await this.recorded(document), field, newLabels);
    const { workspaceId, userId } = caller;
    const notes = judgement.notes ?? null;
    const reviewer = reviewerOf(caller, judgement.reviewer);
    const { state } = await this.application.execute(
      feedbackDecider,
      inferenceId,
      {
        type: 'give-feedback',
        inferenceId,
        workspaceId,
        modelId: document.modelId,
        userId,
        reviewer,
        verdict,
        correctedOutput,
        notes,
        ...(newLabels.length > 0 && { newLabels }),
      },
      callerContext(caller, identity),
      SEEN_BY,
    );
    return accepted(inferenceId, state.latest!);
  }

  /** The reviewer's own verdict; others' verdicts stay. */
  private async remove(caller: Caller, identity: RequestIdentity, inferenceId: string, judgement: Judgement) {
    const { workspaceId, userId } = caller;
    refuseSent(judgement, ['notes', 'new_labels'], 'the removal of a verdict');
    await this.call(caller, inferenceId);
    const known = await this.application.recall(feedbackRemovalDecider, inferenceId, identity);
    if (known) return accepted(inferenceId, known.at(-1));
    const { state } = await this.application.execute(
      feedbackRemovalDecider,
      inferenceId,
      { type: 'remove-feedback', inferenceId, workspaceId, userId, reviewer: reviewerOf(caller, judgement.reviewer) },
      callerContext(caller, identity),
      SEEN_BY,
    );
    return accepted(inferenceId, state.at(-1));
  }

  /** @throws NotFoundError saying that calls with `store: false` are not there */
  private async call(caller: Caller, id: string, isWhole?: (document: InferenceDocument) => boolean) {
    return this.history.recent(caller, id, isWhole).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      throw new NotFoundError('inference', id, 'calls with store: false are not kept and take no feedback');
    });
  }

  /** @throws ConflictError when the request and the answer are no longer stored */
  private async recorded(document: InferenceDocument): Promise<CallInHistory> {
    const { id, task, workspaceId, trainingJobId } = document;
    const { input = null, output = null } = await this.reader.whole(document);
    if (input === null)
      throw new ConflictError(
        `the content of inference ${id} was deleted, so no corrected output can be checked against it`,
      );
    const job = trainingJobId === null ? null : await jobOnLog(this.application, workspaceId, trainingJobId);
    return { task, input, output, ownLabels: job?.request.labels ?? null, ownTasks: job?.request.classTasks ?? [] };
  }
}

const SEEN_BY = [inferenceDocuments.collection, feedbackDocuments.collection, reviewDocuments.collection];

function accepted(inferenceId: string, latest: FeedbackGiven['data'] | undefined) {
  const { verdict = null, at = null, newLabels } = latest ?? {};
  return {
    ...{ inference_id: inferenceId, human_verdict: verdict, human_feedback_at: at },
    ...(newLabels && { new_labels: newLabels }),
  };
}

/** `verdict` or `corrected_output` of null, without the other one. */
const isRemoval = ({ verdict, corrected_output, correction }: Judgement): boolean =>
  (verdict === null || corrected_output === null) && ![verdict, corrected_output, correction].some(isSent);

const MAX_CORRECTED_OUTPUT_KIB = 64;

/** `{verdict, corrected_output}`, or the older `{correction}`, which is an incorrect verdict. */
export function verdictOf(judgement: Omit<Judgement, 'notes' | 'reviewer'>) {
  const field = isSent(judgement.corrected_output) || !isSent(judgement.correction) ? 'corrected_output' : 'correction';
  const corrected = judgement.corrected_output ?? judgement.correction;
  const verdict = judgement.verdict ?? (judgement.correction === undefined ? undefined : 'incorrect');
  if (verdict === undefined)
    throw new InvalidError({
      path: ['body', 'verdict'],
      message: `is required and must be one of ${VERDICTS.join(', ')}; null removes the verdict`,
      type: 'missing',
    });
  const missing = !isSent(corrected);
  const { correction } = VERDICT_TRAITS[verdict];
  if (correction === 'required' && missing)
    throw new InvalidError({
      path: ['body', 'corrected_output'],
      message: `is required when the verdict is ${verdict}; send the right output`,
      type: 'missing',
    });
  if (correction === 'refused' && !missing)
    throw new InvalidError({
      path: ['body', field],
      message: `must be left out when the verdict is ${verdict}; use the verdict ${WRONG_VERDICTS[0]} to correct the output`,
      type: 'not_allowed',
    });
  const newLabels = judgement.new_labels ?? [];
  if (missing) refuseSent(judgement, ['new_labels'], 'a verdict without corrected_output');
  if (!missing) requireModest(corrected, field);
  return { verdict, correctedOutput: missing ? null : (corrected as Json), field, newLabels: [...new Set(newLabels)] };
}

function refuseSent(judgement: Judgement, fields: readonly (keyof Judgement)[], where: string): void {
  const refused = fields.filter((field) => isSent(judgement[field]));
  if (refused.length === 0) return;
  const message = `must be left out of ${where}`;
  throw new InvalidError(refused.map((field) => ({ path: ['body', field], message, type: 'not_allowed' })));
}

const isSent = (value: unknown): boolean => value !== undefined && value !== null;

function requireModest(corrected: unknown, field: string): void {
  const kib = Math.ceil(Buffer.byteLength(JSON.stringify(corrected)) / 1024);
  if (kib <= MAX_CORRECTED_OUTPUT_KIB) return;
  const message = `must be at most ${MAX_CORRECTED_OUTPUT_KIB} KiB of JSON (got ${kib} KiB)`;
  throw new InvalidError({ path: ['body', field], message, type: 'out_of_range' });
}
