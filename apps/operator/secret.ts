import type { Application } from '#application/application.js';
import { leavePreviousSecret } from '#application/secret-rotation.js';
import { ContentKeys, type ContentKeysLocation } from '#ports/key-store/content-keys.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { OperationError, type Operations } from './operation.js';

/** `secret.rotate` */
export const secretOperations = (
  { ports }: Application,
  secret: SecretKey,
  location: ContentKeysLocation,
): Operations => ({
  /** Re-wraps what the previous secret still wraps or seals: the start did so, and processes may have written since */
  async *'secret.rotate'() {
    if (!secret.previous)
      throw new OperationError(
        'this system was started with one secret; start it again with the new secret, and with the old one as ' +
          'ANNEAL_SECRET_KEY_PREVIOUS (or secret.key.previous)',
      );
    const keys = new ContentKeys(location);
    try {
      yield { fingerprint: secret.fingerprint, ...(await leavePreviousSecret(ports, keys, secret)) };
    } finally {
      await keys.close();
    }
  },
});
