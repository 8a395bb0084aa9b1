/**
 * Scopes of a key: `inference` calls models and lists those that can be called, `read` asks with GET, `write` does everything else;
 * `history` and `audit` are parts of `read`: the records without their content, and the log.
 */
export const KEY_SCOPES = ['inference', 'read', 'write', 'history', 'audit'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
