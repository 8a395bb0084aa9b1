import { v7 as uuid7 } from 'uuid';

/** What a person says about a change. */
export interface Why {
  readonly reason?: string;
  /** The number of a ticket or case elsewhere. */
  readonly ticket?: string;
}

/** The actor, the time and the cause of a command. */
export interface CommandContext extends Why {
  /** The user of the operating system who gave the command. */
  readonly by?: string;
  /** Who confirmed it, of two people. */
  readonly confirmedBy?: string;
  /** Whether it is only tried: the first event that it would append ends it with a `WithheldError`. */
  readonly withheld?: boolean;
  readonly workspaceId: string | null;
  /** `user:<id>`, `key:<id>`, `runner:<id>` or `system:<role>`. */
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId?: string;
  /** Repeating a command with the same id has no further effect. */
  readonly commandId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly now: string;
}

/** The context of a command that a role issues by itself. `commandId` is derived if the command may be repeated. */
export function systemContext(role: string, workspaceId: string | null, commandId: string = uuid7()): CommandContext {
  return { workspaceId, actor: `system:${role}`, correlationId: commandId, commandId, now: new Date().toISOString() };
}
