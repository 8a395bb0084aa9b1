import type { Decider } from '../decider.js';
import { SESSION_EVENT_TYPES, type SessionEvent } from './events.js';

/** What happened, without its time: it is recorded as it is. */
export type SessionCommand = SessionEvent extends infer Event
  ? Event extends { readonly type: infer Type; readonly data: infer Data }
    ? { readonly type: Type; readonly data: Omit<Data, 'at'> }
    : never
  : never;

/** The last event; null: none yet. */
export type SessionState = SessionEvent | null;

/**
 * Records what has happened in a stream of its own: a session from its beginning to its end, or an act that began none. Only
 * switches come more than once, and none to the workspace in which the session is.
 */
export const sessionDecider: Decider<SessionCommand, SessionEvent, SessionState> = {
  category: 'session',
  eventTypes: SESSION_EVENT_TYPES,
  initial: null,
  decide(command, last, env) {
    const isSwitch = command.type === 'workspace-switched.v1';
    if (last?.type === 'signed-out.v1') return [];
    if (isSwitch ? last?.data.workspaceId === command.data.workspaceId : last?.type === command.type) return [];
    return [{ type: command.type, data: { ...command.data, at: env.now } } as SessionEvent];
  },
  evolve: (_, event) => event,
  skip: () => null,
};
