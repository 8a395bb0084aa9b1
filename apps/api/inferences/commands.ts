import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { InvalidError } from '#domain/errors.js';
import { feedbackDecider, type FeedbackState } from '#domain/feedback/index.js';
import type { Json } from '#domain/json.js';
import type { FeedbackBody } from './dto.js';
import { History } from './history.js';
import { patientWithYoung } from './patience.js';

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
  ) {}

  async execute({ caller, identity, inferenceId, body }: GiveFeedback) {
    const { verdict, correctedOutput } = verdictOf(body);
    const known = await this.application.recall(feedbackDecider, inferenceId, identity);
    if (known) return accepted(inferenceId, known);
    await patientWithYoung(inferenceId, () => this.history.one(caller, inferenceId));
    const { workspaceId, userId } = caller;
    const notes = body.notes ?? null;
    const { state } = await this.application.execute(
      feedbackDecider,
      inferenceId,
      { type: 'give-feedback', inferenceId, workspaceId, userId, verdict, correctedOutput, notes },
      callerContext(caller, identity),
      ['inferences'],
    );
    return accepted(inferenceId, state);
  }
}

function accepted(inferenceId: string, state: FeedbackState) {
  const { verdict, at } = state.latest!;
  return { inference_id: inferenceId, human_verdict: verdict, human_feedback_at: at };
}

const MAX_CORRECTED_OUTPUT_KIB = 64;

/** `{verdict, corrected_output}`, or the older `{correction}`, which is an incorrect verdict. */
function verdictOf(body: FeedbackBody): { verdict: 'correct' | 'incorrect'; correctedOutput: Json } {
  const corrected = body.corrected_output ?? body.correction;
  const verdict = body.verdict ?? (body.correction === undefined ? undefined : 'incorrect');
  if (verdict === undefined)
    throw new InvalidError({
      path: ['body', 'verdict'],
      message: 'is required: correct or incorrect',
      type: 'missing',
    });
  const missing = corrected === undefined || corrected === null;
  if (verdict === 'incorrect' && missing)
    throw new InvalidError({
      path: ['body', 'corrected_output'],
      message: 'is required when the verdict is incorrect: what the output should have been',
      type: 'missing',
    });
  if (!missing) requireModest(corrected, body.corrected_output === undefined ? 'correction' : 'corrected_output');
  return { verdict, correctedOutput: missing ? null : (corrected as Json) };
}

function requireModest(corrected: unknown, field: string): void {
  const kib = Math.ceil(Buffer.byteLength(JSON.stringify(corrected)) / 1024);
  if (kib <= MAX_CORRECTED_OUTPUT_KIB) return;
  const message = `must be at most ${MAX_CORRECTED_OUTPUT_KIB} KiB of JSON (got ${kib} KiB)`;
  throw new InvalidError({ path: ['body', field], message, type: 'out_of_range' });
}
