import type { EventTypes } from '../decider.js';

export type ApiKeyEvent =
  | {
      readonly type: 'api-key-created.v1';
      readonly data: {
        readonly keyId: string;
        /** Keyed hash of the key; it also names the stream. */
        readonly keyHash: string;
        readonly userId: string;
        readonly teamId: string;
        readonly workspaceId: string;
        readonly name: string;
        /** The key's last four characters. */
        readonly lastDigits: string;
        readonly createdAt: string;
        readonly expiresAt: string | null;
      };
    }
  | {
      readonly type: 'api-key-revoked.v1';
      readonly data: { readonly keyId: string; readonly revokedAt: string };
    };

export type ApiKeyCreated = Extract<ApiKeyEvent, { type: 'api-key-created.v1' }>['data'];

export const API_KEY_EVENT_TYPES: EventTypes<ApiKeyEvent> = {
  'api-key-created.v1': true,
  'api-key-revoked.v1': true,
};
