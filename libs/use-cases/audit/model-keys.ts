import { modelKeyOf, type ModelKey } from '#audit/model-signature.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import type { Application } from '#application/application.js';
import { originOf } from './audit-keys.js';
import { systemContext } from '#log/context.js';

/**
 * The key that signs archives of models, recorded before its first use. It is derived from the secret, like the others.
 */
export async function modelKey(application: Application, secret: SecretKey): Promise<ModelKey> {
  const { logId } = await application.ports.eventStore.head();
  const seed = [1, 2].map((half) => secret.mac('audit', `${originOf(logId, 1)}/models/${half}`)).join('');
  const key = modelKeyOf(Buffer.from(seed, 'hex'));
  const command = { type: 'record-model-key', publicKey: key.publicKey } as const;
  await application.execute(auditKeyDecider, AUDIT_KEYS, command, systemContext('audit', null));
  return key;
}
