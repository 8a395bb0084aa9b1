import { createHmac } from 'node:crypto';
import type { CallContentObject } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { decipheredFrom, type SecretKey } from '#primitives/secrets/index.js';

/**
 * The HMACs that a stored content may have been recorded with (`contentHmac`): under the secret in force, then under earlier ones.
 * @param content as its event has it
 * @returns null if its object is gone
 */
export async function contentMacs(
  objects: Pick<ObjectStore, 'get'>,
  secret: SecretKey,
  content: CallContentObject | JsonObject,
): Promise<readonly string[] | null> {
  const { objectKey, cipherKey } = content as CallContentObject;
  if (typeof objectKey !== 'string') return secret.macs('content-hmac', JSON.stringify(content));
  const macs = secret.keys('content-hmac').map((key) => createHmac('sha256', key));
  try {
    for await (const piece of decipheredFrom(await objects.get(objectKey), cipherKey))
      for (const mac of macs) mac.update(piece);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return null;
    throw error;
  }
  return macs.map((mac) => mac.digest('hex'));
}
