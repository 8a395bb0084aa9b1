import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, reviewerOf, type Caller } from '#application/caller.js';
import type { CommandsOf } from '#domain/decider.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { reviewDecider, type ReviewCommand, type ReviewMark } from '#domain/review/index.js';
import { inferenceDocuments, inferenceOf } from '#projections/inferences/queries.js';
import { unmarked, type ReviewDocument } from '#projections/reviews/projection.js';
import { reviewDocuments } from '#projections/reviews/queries.js';
import { patientWithYoung } from '../inferences/patience.js';
import { CallerCommand } from '../messages.js';
import type { AssignBody, ReviewerBody, ReviewState, SkipBody } from '#apps/api/routes/review/dto.js';
import { reservationOn, stateRecord } from '#apps/api/routes/review/record.js';
import { Reservations } from './reservations.js';

interface OfReviewer {
  readonly id: string;
  readonly body: ReviewerBody;
}

/** @throws NotFoundError unknown, of another workspace, or not stored */
function requireReview(application: Application, { workspaceId }: Caller, id: string): Promise<ReviewDocument> {
  const { ports } = application;
  const read = async () => {
    const call = await inferenceOf(ports.readStore, workspaceId, id);
    if (!call) throw new NotFoundError('inference', id);
    const { modelId } = call;
    return (await reviewDocuments.get(ports.readStore, id)) ?? unmarked({ inferenceId: id, workspaceId, modelId });
  };
  return patientWithYoung(application, { id, seenIn: inferenceDocuments.name, read });
}

export class ReserveReview extends CallerCommand<OfReviewer, ReviewState> {}

@CommandHandler(ReserveReview)
export class ReserveReviewHandler implements ICommandHandler<ReserveReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, input: { id, body } }: ReserveReview): Promise<ReviewState> {
    const reviewer = reviewerOf(caller, body.reviewer);
    const document = await requireReview(this.application, caller, id);
    requireOpen(document, reviewer);
    const { workspaceId } = caller;
    const held = await this.reservations.of(workspaceId, id);
    if (held && !reservationOn(document, held)) await this.reservations.release(workspaceId, id, held.reviewer);
    return stateRecord(document, await this.reservations.reserve(workspaceId, id, reviewer));
  }
}

/** @throws ConflictError unless a verdict of this reviewer is awaited */
function requireOpen({ id, queue, assignee, verdicts }: ReviewDocument, reviewer: string): void {
  if (queue === 'done') throw new ConflictError(`inference ${id} has been reviewed`);
  if (queue === 'skipped') throw new ConflictError(`inference ${id} was skipped; assign it to somebody first`);
  if (queue?.startsWith('assigned/') && assignee !== reviewer)
    throw new ConflictError(`inference ${id} is assigned to ${assignee}`);
  if (queue === 'once' && verdicts[0]?.reviewer === reviewer)
    throw new ConflictError(`inference ${id} already has a verdict of ${reviewer}`);
}

export class ReleaseReview extends CallerCommand<OfReviewer, ReviewState> {}

@CommandHandler(ReleaseReview)
export class ReleaseReviewHandler implements ICommandHandler<ReleaseReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, input: { id, body } }: ReleaseReview): Promise<ReviewState> {
    const document = await requireReview(this.application, caller, id);
    await this.reservations.release(caller.workspaceId, id, reviewerOf(caller, body.reviewer));
    return stateRecord(document, null);
  }
}

/** A skip or an assignment of a call. */
type Mark = CommandsOf<{ 'skip-review': SkipBody; 'assign-review': AssignBody }>;

export class MarkReview extends CallerCommand<{ readonly id: string; readonly mark: Mark }, ReviewState> {}

@CommandHandler(MarkReview)
export class MarkReviewHandler implements ICommandHandler<MarkReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: { id, mark } }: MarkReview): Promise<ReviewState> {
    const { modelId } = await requireReview(this.application, caller, id);
    const { workspaceId } = caller;
    const command = commandOf({ inferenceId: id, workspaceId, modelId: modelId ?? '' }, caller, mark);
    if (mark.type === 'skip-review') await this.reservations.release(workspaceId, id, command.reviewer);
    const context = callerContext(caller, identity);
    await this.application.execute(reviewDecider, id, command, context, [reviewDocuments.name]);
    const document = await requireReview(this.application, caller, id);
    return stateRecord(document, await this.reservations.of(workspaceId, id));
  }
}

function commandOf(
  call: Pick<ReviewMark, 'inferenceId' | 'workspaceId' | 'modelId'>,
  caller: Caller,
  mark: Mark,
): ReviewCommand {
  if (mark.type === 'assign-review')
    return { ...call, type: mark.type, reviewer: mark.reviewer, by: reviewerOf(caller) };
  return { ...call, type: mark.type, reviewer: reviewerOf(caller, mark.reviewer), reason: mark.reason ?? null };
}
