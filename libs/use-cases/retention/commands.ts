import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { derivedId } from '#log/execute.js';
import { InvalidError } from '#domain/errors.js';
import {
  RETENTION_KINDS,
  retentionDecider,
  type Hold,
  type HoldScope,
  type RetentionState,
} from '#domain/retention/index.js';
import { CallerCommand, type Act, type CommandNeeds } from '../commands-and-queries.js';
import { boundsOf, type Retention } from './queries.js';

/** Days by kind; null keeps contents for ever, and absent kinds stay as they are. */
export class SetRetention extends CallerCommand<RetentionState['days'], Retention> {
  static override readonly needs: CommandNeeds = ['manage'];

  /** Contents are erased when their days are over. */
  static override actOf(days: RetentionState['days']): Act | null {
    const set = Object.entries(days).filter(([, each]) => typeof each === 'number');
    if (set.length === 0) return null;
    const about = `erase ${set.map(([kind, each]) => `${kind} after ${each} days`).join(', ')}`;
    return { kind: 'erase', command: 'set-retention', about };
  }
}

@CommandHandler(SetRetention)
export class SetRetentionHandler implements ICommandHandler<SetRetention> {
  constructor(private readonly application: Application) {}

  /** @throws InvalidError below the floor or above the ceiling */
  async execute({ caller, identity, input }: SetRetention): Promise<Retention> {
    const { workspaceId } = caller;
    const context = callerContext(caller, identity);
    const bounds = boundsOf(this.application);
    for (const kind of RETENTION_KINDS) {
      const days = input[kind];
      if (days === undefined) continue;
      const command = { type: 'set-retention', workspaceId, kind, days, bounds } as const;
      const of = { ...context, commandId: derivedId(context.commandId, kind) };
      await this.application.execute(retentionDecider, workspaceId, command, of);
    }
    return { ...(await this.application.load(retentionDecider, workspaceId)), bounds };
  }
}

/** Characters of the reason for a hold, or for its end. */
export const MAX_REASON = 500;

/** A hold to place. */
interface HoldOrder {
  readonly kind: HoldScope['kind'];
  readonly id?: string | null;
  readonly version?: number | null;
  readonly reason: string;
}

export class PlaceHold extends CallerCommand<HoldOrder, Hold & { readonly placedAt: string }> {
  static override readonly needs: CommandNeeds = ['manage'];
}

@CommandHandler(PlaceHold)
export class PlaceHoldHandler implements ICommandHandler<PlaceHold> {
  constructor(private readonly application: Application) {}

  /** @throws InvalidError; ConflictError beyond the number of holds */
  async execute({ caller, identity, input: { reason, ...covered } }: PlaceHold) {
    const { workspaceId } = caller;
    const context = callerContext(caller, identity);
    const hold: Hold = { holdId: derivedId(context.commandId, 'hold'), workspaceId, covers: scopeOf(covered), reason };
    const known = await this.application.recall(retentionDecider, workspaceId, identity);
    const placed =
      known ??
      (await this.application.execute(retentionDecider, workspaceId, { type: 'place-hold', ...hold }, context)).state;
    return placed.holds.find(({ holdId }) => holdId === hold.holdId)!;
  }
}

/** @throws InvalidError if the kind needs an id, or takes none */
function scopeOf({ kind, id = null, version = null }: Omit<HoldOrder, 'reason'>): HoldScope {
  const refuse = (field: string, message: string) =>
    new InvalidError({ path: ['body', field], message, type: 'not_allowed' });
  const needsId = kind === 'call' || kind === 'model' || kind === 'job' || kind === 'dataset' || kind === 'evaluation';
  if (needsId && id === null)
    throw new InvalidError({ path: ['body', 'id'], message: `is required for a hold on a ${kind}`, type: 'missing' });
  if (!needsId && id !== null)
    throw refuse('id', `is for holds on a call, a model, a job, a dataset or an evaluation; leave it out for ${kind}`);
  if (kind !== 'dataset' && version !== null)
    throw refuse('version', `is for holds on a dataset; leave it out for ${kind}`);
  return { kind, id, version };
}

export class ReleaseHold extends CallerCommand<{ readonly id: string; readonly reason: string | undefined }, void> {
  static override readonly needs: CommandNeeds = ['manage'];
}

@CommandHandler(ReleaseHold)
export class ReleaseHoldHandler implements ICommandHandler<ReleaseHold> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; InvalidError without a reason */
  async execute({ caller, identity, input: { id: holdId, reason } }: ReleaseHold): Promise<void> {
    const refuse = (message: string, type: 'missing' | 'out_of_range') =>
      new InvalidError({ path: ['query', 'reason'], message, type });
    if (!reason) throw refuse('is required: the reason why the hold ends', 'missing');
    if (reason.length > MAX_REASON)
      throw refuse(`must have at most ${MAX_REASON} characters (got ${reason.length})`, 'out_of_range');
    const { workspaceId } = caller;
    const command = { type: 'release-hold', workspaceId, holdId, reason } as const;
    await this.application.execute(retentionDecider, workspaceId, command, callerContext(caller, identity));
  }
}
