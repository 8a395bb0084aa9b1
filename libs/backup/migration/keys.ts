import type { KeyStore } from '#ports/key-store/port.js';
import { MigrationRefusedError } from './refused.js';

/**
 * Copies the keys of contents, still wrapped under the secret. A key that was destroyed since an earlier copy is destroyed there, too.
 * @returns how many there are
 * @throws MigrationRefusedError when the target has a key of another system
 */
export async function copyKeys(from: KeyStore, to: KeyStore): Promise<number> {
  const ids = new Set(await from.ids());
  const there = new Set(await to.ids());
  for (const id of ids) {
    const secret = await from.get(id);
    if (secret === null) continue;
    const present = there.has(id) ? await to.get(id) : null;
    if (present === null) await to.create(id, secret.bytes);
    else if (!Buffer.from(present.bytes).equals(Buffer.from(secret.bytes))) await replaced(to, id, secret.bytes);
  }
  for (const id of there.difference(ids)) await replaced(to, id, null);
  return ids.size;
}

async function replaced(to: KeyStore, id: string, bytes: Uint8Array | null): Promise<void> {
  const present = await to.get(id);
  if (present !== null && !(await to.replace(id, present.version, bytes)))
    throw new MigrationRefusedError('the keys of contents of the target change meanwhile: stop what runs on it');
}
