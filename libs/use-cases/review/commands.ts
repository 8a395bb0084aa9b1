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
import { CallerCommand } from '../commands-and-queries.js';
import { Reservations, reviewOf, type Review } from './reservations.js';

/** A call, and its reviewer. */
interface OfReviewer {
  readonly id: string;
  /** null or absent: the caller. */
  readonly reviewer?: string | null;
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
  return patientWithYoung(application, { id, seenIn: inferenceDocuments.collection, read });
}

export class ReserveReview extends CallerCommand<OfReviewer, Review> {}

@CommandHandler(ReserveReview)
export class ReserveReviewHandler implements ICommandHandler<ReserveReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, input: { id, reviewer: name } }: ReserveReview): Promise<Review> {
    const reviewer = reviewerOf(caller, name);
    const document = await requireReview(this.application, caller, id);
    requireOpen(document, reviewer);
    const { workspaceId } = caller;
    const held = await this.reservations.of(workspaceId, id);
    if (held && !reviewOf(document, held).reservation) await this.reservations.release(workspaceId, id, held.reviewer);
    return reviewOf(document, await this.reservations.reserve(workspaceId, id, reviewer));
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

export class ReleaseReview extends CallerCommand<OfReviewer, Review> {}

@CommandHandler(ReleaseReview)
export class ReleaseReviewHandler implements ICommandHandler<ReleaseReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, input: { id, reviewer: name } }: ReleaseReview): Promise<Review> {
    const document = await requireReview(this.application, caller, id);
    await this.reservations.release(caller.workspaceId, id, reviewerOf(caller, name));
    return reviewOf(document, null);
  }
}

/** A skip or an assignment of a call. */
type Mark = CommandsOf<{
  'skip-review': OfReviewer & { readonly reason?: string | null };
  'assign-review': OfReviewer & { readonly reviewer: string };
}>;

export class MarkReview extends CallerCommand<Mark, Review> {}

@CommandHandler(MarkReview)
export class MarkReviewHandler implements ICommandHandler<MarkReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: mark }: MarkReview): Promise<Review> {
    const { id } = mark;
    const { modelId } = await requireReview(this.application, caller, id);
    const { workspaceId } = caller;
    const command = commandOf({ inferenceId: id, workspaceId, modelId: modelId ?? '' }, caller, mark);
    if (mark.type === 'skip-review') await this.reservations.release(workspaceId, id, command.reviewer);
    const context = callerContext(caller, identity);
    await this.application.execute(reviewDecider, id, command, context, [reviewDocuments.collection]);
    const document = await requireReview(this.application, caller, id);
    return reviewOf(document, await this.reservations.of(workspaceId, id));
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
