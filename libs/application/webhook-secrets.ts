import type { SecretKey } from '#primitives/secrets/index.js';

/**
 * The signing secret of an endpoint, as its receiver gets it: `whsec_` and 32 bytes in base64. It follows from the installation's
 * secret, so that it is stored nowhere.
 * @param secretNumber from 1; each rotation uses the next
 */
export const webhookSecret = (secret: SecretKey, webhookId: string, secretNumber: number): string =>
  `whsec_${Buffer.from(secret.mac('webhooks', `${webhookId}/${secretNumber}`), 'hex').toString('base64')}`;
