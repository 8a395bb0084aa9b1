/**
 * What a key may do: `inference` calls models and lists those that can be called, `read` asks with GET, `write` does everything else.
 */
export const KEY_SCOPES = ['inference', 'read', 'write'] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];
