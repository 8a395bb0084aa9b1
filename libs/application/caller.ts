import { v7 as uuid7 } from 'uuid';
import type { CommandContext } from './context.js';

/** Who makes a request, once it has been authenticated. Every read and write is scoped to the workspace. */
export interface Caller {
  readonly kind: 'key' | 'session';
  readonly userId: string;
  readonly teamId: string;
  readonly workspaceId: string;
  /** The API key used, null for a browser session. */
  readonly keyId: string | null;
}

/** The context of a command given in a request. */
export function callerContext(caller: Caller, requestId: string, commandId: string = uuid7()): CommandContext {
  return {
    workspaceId: caller.workspaceId,
    actor: caller.keyId === null ? `user:${caller.userId}` : `key:${caller.keyId}`,
    correlationId: requestId,
    commandId,
    now: new Date().toISOString(),
  };
}
