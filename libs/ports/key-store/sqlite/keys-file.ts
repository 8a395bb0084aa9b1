/** Apart from the adapter, so that a place can be looked at without opening it. */
export const KEYS_FILE = 'content-keys.db';
