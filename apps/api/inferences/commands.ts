import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, reviewerOf, type Caller, type RequestIdentity } from '#application/caller.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import { feedbackDecider, type FeedbackState } from '#domain/feedback/index.js';
import type { Json } from '#domain/json.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import type { RecordedCall } from './asked.js';
import { checkCorrectedOutput } from './corrected-output.js';
import type { FeedbackBody } from './dto.js';
import { History, isComplete } from './history.js';
import { patientWithYoung } from './patience.js';
import { RecordReader } from './record-reader.js';

export class GiveFeedback {
  constructor(
    readonly caller: Caller,
    readonly identity: RequestIdentity,
    readonly inferenceId: string,
    readonly body: FeedbackBody,
  ) {}
}

@CommandHandler(GiveFeedback)
export class GiveFeedbackHandler implements ICommandHandler<GiveFeedback> {
  constructor(
    private readonly application: Application,
    private readonly history: History,
    private readonly reader: RecordReader,
  ) {}

  async execute({ caller, identity, inferenceId, body }: GiveFeedback) {
    const { verdict, correctedOutput, field } = verdictOf(body);
    const known = await this.application.recall(feedbackDecider, inferenceId, identity);
    if (known) return accepted(inferenceId, known);
    const document = await patientWithYoung(
      inferenceId,
      () => this.history.one(caller, inferenceId),
      (each) => correctedOutput === null || isComplete(each),
    );
    if (correctedOutput !== null) checkCorrectedOutput(correctedOutput, await this.recorded(document), field);
    const { workspaceId, userId } = caller;
    const notes = body.notes ?? null;
    const reviewer = reviewerOf(caller, body.reviewer);
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
      },
      callerContext(caller, identity),
      [inferenceDocuments.name, reviewDocuments.name],
    );
    return accepted(inferenceId, state);
  }

  /** @throws ConflictError when the request and the answer are no longer stored */
  private async recorded(document: InferenceDocument): Promise<RecordedCall> {
    const { id, task, trainingJobId } = document;
    const { input = null, output = null } = await this.reader.whole(document);
    if (input === null)
      throw new ConflictError(
        `the content of inference ${id} was deleted, so that no corrected output can be checked against it`,
      );
    const job =
      trainingJobId === null ? null : await trainingJobDocuments.get(this.application.ports.readStore, trainingJobId);
    return { task, input, output, ownLabels: job?.labels ?? null };
  }
}

function accepted(inferenceId: string, state: FeedbackState) {
  const { verdict, at } = state.latest!;
  return { inference_id: inferenceId, human_verdict: verdict, human_feedback_at: at };
}

const MAX_CORRECTED_OUTPUT_KIB = 64;

/** `{verdict, corrected_output}`, or the older `{correction}`, which is an incorrect verdict. */
function verdictOf(body: FeedbackBody) {
  const field = isSent(body.corrected_output) || !isSent(body.correction) ? 'corrected_output' : 'correction';
  const corrected = body.corrected_output ?? body.correction;
  const verdict = body.verdict ?? (body.correction === undefined ? undefined : 'incorrect');
  if (verdict === undefined)
    throw new InvalidError({
      path: ['body', 'verdict'],
      message: 'is required: correct or incorrect',
      type: 'missing',
    });
  const missing = !isSent(corrected);
  if (verdict === 'incorrect' && missing)
    throw new InvalidError({
      path: ['body', 'corrected_output'],
      message: 'is required when the verdict is incorrect: what the output should have been',
      type: 'missing',
    });
  if (!missing) requireModest(corrected, field);
  return { verdict, correctedOutput: missing ? null : (corrected as Json), field };
}

const isSent = (value: unknown): boolean => value !== undefined && value !== null;

function requireModest(corrected: unknown, field: string): void {
  const kib = Math.ceil(Buffer.byteLength(JSON.stringify(corrected)) / 1024);
  if (kib <= MAX_CORRECTED_OUTPUT_KIB) return;
  const message = `must be at most ${MAX_CORRECTED_OUTPUT_KIB} KiB of JSON (got ${kib} KiB)`;
  throw new InvalidError({ path: ['body', field], message, type: 'out_of_range' });
}
