import { decodeSecret, givenSecret, makeSecret, type SecretKey } from '#primitives/secrets/index.js';

/**
 * The secret of a new installation: the given text, else that of `secret.key` in the data folder, which is created if
 * missing.
 * @throws SecretFileError when the file is damaged
 */
export const openSecretKey = (dataDir: string, setting: string | null): SecretKey =>
  decodeSecret((givenSecret(dataDir, setting) ?? makeSecret(dataDir)).text);
