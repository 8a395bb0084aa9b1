import type { EventsOf, EventTypes } from '../decider.js';
import type { KeyLimits } from './limits.js';
import type { KeyScope } from './scopes.js';

export type ApiKeyEvent = EventsOf<{
  'api-key-created.v1': {
    keyId: string;
    /** Keyed hash of the key; it also names the stream. */
    keyHash: string;
    userId: string;
    teamId: string;
    workspaceId: string;
    name: string;
    /** The key's last four characters. */
    lastDigits: string;
    createdAt: string;
    expiresAt: string | null;
    /** Scopes of the key; absent: everything. */
    scopes?: readonly KeyScope[];
    /** Limits of its calls of models; absent: none. */
    limits?: KeyLimits;
  };
  /** Other limits of its calls of models. */
  'api-key-limits-changed.v1': {
    keyId: string;
    /** The limits until then. */
    before: KeyLimits;
    limits: KeyLimits;
    changedAt: string;
  };
  'api-key-revoked.v1': { keyId: string; revokedAt: string };
}>;

export type ApiKeyCreated = Extract<ApiKeyEvent, { type: 'api-key-created.v1' }>['data'];

export const API_KEY_EVENT_TYPES: EventTypes<ApiKeyEvent> = {
  'api-key-created.v1': true,
  'api-key-limits-changed.v1': true,
  'api-key-revoked.v1': true,
};
