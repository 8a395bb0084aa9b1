import { Command, Query } from '@nestjs/cqrs';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { ProposedAct } from '#domain/proposal/index.js';
import type { Permission } from '#domain/permissions.js';
import type { RateLimitName } from './limits/limit-table.js';
import type { AsOfRequest } from '#application/as-of.js';

/** At least one permission. */
export type CommandNeeds = readonly [Permission, ...Permission[]];

/** An act for which a workspace may want two people. */
export interface Act {
  readonly kind: ProposedAct;
  /** The command's name in `PROPOSED_COMMANDS`. */
  readonly command: string;
  /** What it acts on, for the person who confirms it; names no person. */
  readonly about: string;
  /** Why, if the input says so. */
  readonly reason?: string | null;
}

/** A command of a caller: a route's body, or the id that its path names. */
export class CallerCommand<Input, Result> extends Command<Result> {
  /** Permissions that allow it: any one of them does. */
  static readonly needs: CommandNeeds = ['write'];
  /** The limit on how often a person gives it. */
  static readonly rateLimit: RateLimitName = 'default';

  /** The act that it is, by its input; null: one person always suffices. */
  static actOf(_input: unknown): Act | null {
    return null;
  }

  constructor(
    readonly caller: Caller,
    readonly identity: RequestIdentity,
    readonly input: Input,
  ) {
    super();
  }
}

/** A class of commands, with what it declares. */
export type CommandType<Input, Result> = (new (
  caller: Caller,
  identity: RequestIdentity,
  input: Input,
) => CallerCommand<Input, Result>) &
  Pick<typeof CallerCommand, 'needs' | 'rateLimit' | 'actOf'>;

/** A query of a caller for one resource, in its present state or as of a point in time. */
export class ResourceQuery<Input, Result> extends Query<Result> {
  constructor(
    readonly caller: Caller,
    readonly input: Input,
    /** null: the present state. */
    readonly asOf: AsOfRequest | null,
  ) {
    super();
  }
}

/** A query of a caller: a route's parameters, or the id that its path names. */
export class CallerQuery<Input, Result> extends Query<Result> {
  constructor(
    readonly caller: Caller,
    readonly input: Input,
  ) {
    super();
  }
}
