import { v7 as uuid7 } from 'uuid';

/** The actor, the time and the cause of a command. */
export interface CommandContext {
  readonly workspaceId: string | null;
  /** `user:<id>`, `key:<id>`, `runner:<id>` or `system:<role>`. */
  readonly actor: string;
  readonly correlationId: string;
  readonly causationId?: string;
  /** Repeating a command with the same id changes nothing more. */
  readonly commandId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly now: string;
}

/** A context for a command that a role gives by itself. `commandId` is derived where the command may be given twice. */
export function systemContext(role: string, workspaceId: string | null, commandId: string = uuid7()): CommandContext {
  return { workspaceId, actor: `system:${role}`, correlationId: commandId, commandId, now: new Date().toISOString() };
}
