import { Injectable } from '@nestjs/common';
import { AccountBook, admission } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { IdempotencyRecords } from '#log/idempotency/index.js';
import { isPassing } from '#calls/index.js';
import { DomainError, ForbiddenError, NotReadyYetError, UnavailableError } from '#domain/errors.js';
import type { RateLimitName } from './limits/limit-table.js';
import { RateLimits } from './limits/rate-limits.js';
import type { CommandNeeds, CommandType } from './commands-and-queries.js';
import { requirePermission, UseCases } from './use-cases.js';

/** Work that a person asked for earlier, of which a worker now does a step in that person's name. */
export interface Errand {
  readonly caller: Caller;
  /** When the person asked, ISO 8601. */
  readonly askedAt: string;
  /** Correlates the events and calls of the step. */
  readonly requestId: string;
  /** Command id of the step: the same for each try. */
  readonly commandId: string;
}

/**
 * Gives commands that no request brings: of workers, in the name of whoever asked for their work. The person must still be
 * admitted and permitted, and the command counts against the person's limits, as if it had come over HTTP.
 */
@Injectable()
export class Errands {
  private readonly records: IdempotencyRecords;

  constructor(
    application: Application,
    private readonly useCases: UseCases,
    private readonly accounts: AccountBook,
    private readonly limits: RateLimits,
  ) {
    const { ports, background } = application;
    this.records = new IdempotencyRecords(ports.coordination, { background });
  }

  /**
   * Gives a command; a repeat finds the result of the first try.
   * @throws DomainError refused; `isRefusal` tells whether another try is in vain
   */
  async give<Input, Result>(errand: Errand, Command: CommandType<Input, Result>, input: Input): Promise<Result> {
    const { requestId, commandId } = errand;
    const caller = await this.admit(errand, Command.needs, Command.rateLimit);
    const begun = await this.records.begin(`${caller.workspaceId}:errand:${commandId}`, Command.name);
    if (begun.kind !== 'go') throw new UnavailableError('the same step is at work elsewhere; try again');
    try {
      const identity = { requestId, commandId, repeated: true };
      const result = await this.useCases.execute(new Command(caller, identity, input));
      await begun.run.finish(200);
      return result;
    } catch (error) {
      await begun.run.finish(isRefusal(error) ? 422 : 503);
      throw error;
    }
  }

  /**
   * The person who asked, with the present permissions.
   * @throws ForbiddenError no longer admitted, or without the permission
   * @throws UnavailableError over the limit
   */
  async admit({ caller, askedAt }: Errand, needs: CommandNeeds, rateLimit: RateLimitName): Promise<Caller> {
    const found = admission(await this.accounts.findFor(caller.teamId, caller.userId), caller, askedAt);
    if ('refusal' in found) throw new ForbiddenError(found.refusal);
    requirePermission(found.admitted, needs);
    const verdict = await this.limits.take(rateLimit, caller);
    if (verdict && !verdict.allowed)
      throw new UnavailableError(`more than ${verdict.limit.limit} in ${verdict.limit.windowMs / 1000} seconds`, {
        retryAfterSeconds: Math.max(1, Math.ceil(verdict.resetInMs / 1000)),
      });
    return found.admitted;
  }
}

/** Whether an error refuses the command itself, so that the same command would fail again. */
export const isRefusal = (error: unknown): error is DomainError =>
  error instanceof DomainError && !isPassing(error) && !(error instanceof NotReadyYetError);
