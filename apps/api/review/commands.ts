import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, reviewerOf, type Caller } from '#application/caller.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { reviewDecider, type ReviewCommand } from '#domain/review/index.js';
import type { ReviewDocument } from '#projections/reviews/projection.js';
import { reviewDocuments, reviewOf } from '#projections/reviews/queries.js';
import { patientWithYoung } from '../inferences/patience.js';
import { CallerCommand } from '../messages.js';
import type { AssignBody, ReviewerBody, ReviewState, SkipBody } from './dto.js';
import { stateRecord } from './record.js';
import { Reservations } from './reservations.js';

interface Of<Body> {
  readonly id: string;
  readonly body: Body;
}

/** @throws NotFoundError unknown, of another workspace, not stored, or not of an encoder */
function requireReview({ ports }: Application, { workspaceId }: Caller, id: string): Promise<ReviewDocument> {
  return patientWithYoung(id, async () => {
    const document = await reviewOf(ports.readStore, workspaceId, id);
    if (!document) throw new NotFoundError('inference', id);
    return document;
  });
}

export class ReserveReview extends CallerCommand<Of<ReviewerBody>, ReviewState> {}

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
    return stateRecord(document, await this.reservations.reserve(caller.workspaceId, id, reviewer));
  }
}

/** @throws ConflictError where nobody waits for a verdict of this reviewer */
function requireOpen({ id, queue, assignee, verdicts }: ReviewDocument, reviewer: string): void {
  if (queue === 'done') throw new ConflictError(`inference ${id} has been reviewed`);
  if (queue === 'skipped') throw new ConflictError(`inference ${id} was skipped; assign it to somebody first`);
  if (queue?.startsWith('assigned/') && assignee !== reviewer)
    throw new ConflictError(`inference ${id} is assigned to ${assignee}`);
  if (queue === 'once' && verdicts[0]?.reviewer === reviewer)
    throw new ConflictError(`inference ${id} already has a verdict of ${reviewer}`);
}

export class ReleaseReview extends CallerCommand<Of<ReviewerBody>, ReviewState> {}

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

export class SkipReview extends CallerCommand<Of<SkipBody>, ReviewState> {}
export class AssignReview extends CallerCommand<Of<AssignBody>, ReviewState> {}

/** Both are marks on the call's review stream. */
@CommandHandler(SkipReview)
export class SkipReviewHandler implements ICommandHandler<SkipReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: { id, body } }: SkipReview): Promise<ReviewState> {
    await requireReview(this.application, caller, id);
    const reviewer = reviewerOf(caller, body.reviewer);
    await this.reservations.release(caller.workspaceId, id, reviewer);
    const { workspaceId } = caller;
    const reason = body.reason ?? null;
    const command = { type: 'skip-review', inferenceId: id, workspaceId, reviewer, reason } as const;
    return marked(this.application, { caller, identity }, command, null);
  }
}

@CommandHandler(AssignReview)
export class AssignReviewHandler implements ICommandHandler<AssignReview> {
  constructor(
    private readonly application: Application,
    private readonly reservations: Reservations,
  ) {}

  /** @throws NotFoundError, ConflictError */
  async execute({ caller, identity, input: { id, body } }: AssignReview): Promise<ReviewState> {
    await requireReview(this.application, caller, id);
    const { workspaceId } = caller;
    const [{ reviewer }, by] = [body, reviewerOf(caller)];
    const command = { type: 'assign-review', inferenceId: id, workspaceId, reviewer, by } as const;
    const reservation = await this.reservations.of(workspaceId, id);
    return marked(this.application, { caller, identity }, command, reservation);
  }
}

async function marked(
  application: Application,
  { caller, identity }: Pick<SkipReview, 'caller' | 'identity'>,
  command: ReviewCommand,
  reservation: Parameters<typeof stateRecord>[1],
): Promise<ReviewState> {
  const { inferenceId } = command;
  const context = callerContext(caller, identity);
  await application.execute(reviewDecider, inferenceId, command, context, [reviewDocuments.name]);
  return stateRecord(await requireReview(application, caller, inferenceId), reservation);
}
