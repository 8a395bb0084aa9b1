import { Command, Query } from '@nestjs/cqrs';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { Permission } from '#domain/permissions.js';
import type { RateLimitName } from './limits/limit-table.js';
import type { AsOfRequest } from '#application/as-of.js';

/** At least one permission. */
export type CommandNeeds = readonly [Permission, ...Permission[]];

/** A command of a caller: a route's body, or the id that its path names. */
export class CallerCommand<Input, Result> extends Command<Result> {
  /** Permissions that allow it: any one of them does. */
  static readonly needs: CommandNeeds = ['write'];
  /** The limit on how often a person gives it. */
  static readonly rateLimit: RateLimitName = 'default';

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
  Pick<typeof CallerCommand, 'needs' | 'rateLimit'>;

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
