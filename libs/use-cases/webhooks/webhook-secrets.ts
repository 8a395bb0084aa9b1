import type { SecretKey } from '#primitives/secrets/index.js';

/**
 * The signing secret of an endpoint, in its receiver's form: `whsec_` and 32 bytes in base64. It is derived from the
 * installation's secret, so that it is never stored.
 * @param secretNumber from 1; each rotation uses the next
 */
export const webhookSecret = (secret: SecretKey, webhookId: string, secretNumber: number): string =>
  webhookSecrets(secret, webhookId, secretNumber)[0]!;

/** The same, then what receivers were given under earlier secrets of the installation: messages are signed with each. */
export const webhookSecrets = (secret: SecretKey, webhookId: string, secretNumber: number): readonly string[] =>
  secret
    .macs('webhooks', `${webhookId}/${secretNumber}`)
    .map((mac) => `whsec_${Buffer.from(mac, 'hex').toString('base64')}`);
