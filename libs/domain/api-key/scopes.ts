/**
 * Scopes of a key: `inference` calls models and lists those that can be called, `read` asks with GET, `write` does everything else;
 * `history`, `audit` and `weights` are parts of `read`: the records without their content, the log, and the files of models.
 */
export const KEY_SCOPES = ['inference', 'read', 'write', 'history', 'audit', 'weights'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
