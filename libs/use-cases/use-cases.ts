import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandBus, QueryBus, type Query } from '@nestjs/cqrs';
import { may, type Caller } from '#application/caller.js';
import { DomainError, ForbiddenError } from '#domain/errors.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { CallerCommand, type CommandNeeds } from './commands-and-queries.js';

/** The one door to every use case: of routes, workers and the operator's commands. */
@Injectable()
export class UseCases {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(Metrics) private readonly metrics: Metrics | null,
  ) {}

  /**
   * Gives a command or asks a query, and times it.
   * @throws ForbiddenError the caller lacks every permission that the command needs; else what the handler throws
   */
  execute<Result>(command: Command<Result>): Promise<Result>;
  execute<Result>(query: Query<Result>): Promise<Result>;
  async execute(message: Command<unknown> | Query<unknown>): Promise<unknown> {
    const began = performance.now();
    let outcome = 'failed';
    try {
      if (message instanceof CallerCommand)
        requirePermission(message.caller, (message.constructor as typeof CallerCommand).needs);
      const result = await (message instanceof Command
        ? this.commands.execute(message)
        : this.queries.execute(message));
      outcome = 'done';
      return result;
    } catch (error) {
      if (error instanceof DomainError) outcome = 'refused';
      throw error;
    } finally {
      this.metrics?.useCase(message.constructor.name, outcome, performance.now() - began);
    }
  }
}

/** @throws ForbiddenError */
export function requirePermission(caller: Caller, needs: CommandNeeds): void {
  if (!needs.some((each) => may(caller, each)))
    throw new ForbiddenError(`this needs the permission ${needs.map((each) => `\`${each}\``).join(' or ')}`);
}
