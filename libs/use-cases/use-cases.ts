import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandBus, QueryBus, type Query } from '@nestjs/cqrs';
import { may, type Caller } from '#application/caller.js';
import { DomainError, ForbiddenError, ProposedError } from '#domain/errors.js';
import { isTracing, traced } from '#primitives/tracing/index.js';
import { Metrics } from '#primitives/metrics/metrics.js';
import { WithheldError } from '#log/execute.js';
import { CallerCommand, type CommandNeeds, type CommandType } from './commands-and-queries.js';
import { SecondPerson } from './proposals/second-person.js';

/** The one door to every use case: of routes, workers and the operator's commands. */
@Injectable()
export class UseCases {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly secondPerson: SecondPerson,
    @Inject(Metrics) private readonly metrics: Metrics | null,
  ) {}

  /**
   * Gives a command or asks a query, and times it.
   * @throws ForbiddenError the caller lacks every permission that the command needs; ProposedError the workspace wants two
   * people for it; else what the handler throws
   */
  execute<Result>(command: Command<Result>): Promise<Result>;
  execute<Result>(query: Query<Result>): Promise<Result>;
  async execute(message: Command<unknown> | Query<unknown>): Promise<unknown> {
    const began = performance.now();
    let outcome = 'failed';
    try {
      if (message instanceof CallerCommand)
        requirePermission(message.caller, (message.constructor as typeof CallerCommand).needs);
      const result = await (isTracing()
        ? traced(message.constructor.name, {}, () => this.handled(message))
        : this.handled(message));
      outcome = 'done';
      return result;
    } catch (error) {
      if (error instanceof DomainError) outcome = error instanceof ProposedError ? 'proposed' : 'refused';
      throw error;
    } finally {
      this.metrics?.useCase(message.constructor.name, outcome, performance.now() - began);
    }
  }

  private handled(message: Command<unknown> | Query<unknown>): Promise<unknown> {
    if (message instanceof CallerCommand) return this.byTwo(message as CallerCommand<unknown, unknown>);
    return message instanceof Command ? this.commands.execute(message) : this.queries.execute(message);
  }

  /** Gives a command that needs nobody else, and proposes one that does, unless it would be refused or change nothing. */
  private async byTwo(message: CallerCommand<unknown, unknown>): Promise<unknown> {
    const { caller, identity, input } = message;
    const Command = message.constructor as CommandType<unknown, unknown>;
    const act = identity.confirmed ? null : Command.actOf(input);
    if (act === null || !(await this.secondPerson.isNeeded(caller, act))) return this.commands.execute(message);
    try {
      return await this.commands.execute(new Command(caller, { ...identity, withheld: true }, input));
    } catch (error) {
      if (!(error instanceof WithheldError)) throw error;
      throw await this.secondPerson.propose(caller, identity, act, input);
    }
  }
}

/** @throws ForbiddenError */
export function requirePermission(caller: Caller, needs: CommandNeeds): void {
  if (!needs.some((each) => may(caller, each)))
    throw new ForbiddenError(`this needs the permission ${needs.map((each) => `\`${each}\``).join(' or ')}`);
}
