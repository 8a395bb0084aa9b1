/** In a file of its own, so that other code can look for the store without loading the adapter. */
export const KEYS_FILE = 'content-keys.db';
