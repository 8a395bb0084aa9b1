import { join } from 'node:path';
import { verifyAudit } from '#apps/operator/audit.js';
import type { JsonObject } from '#domain/json.js';
import { openSecretKey } from '#test/support/open-secret-key.js';

/** @returns what the audit of a stopped system says if not all of it holds; else nothing */
export async function unverifiedIn(directory: string): Promise<readonly JsonObject[]> {
  const frames = await Array.fromAsync(
    verifyAudit({
      eventStore: { adapter: 'sqlite', directory },
      objectStore: { kind: 'folder', directory: join(directory, 'objects') },
      contents: {
        secret: openSecretKey(directory, null),
        keys: { adapter: 'sqlite', directory: join(directory, 'keys') },
      },
      ...{ keys: [], checkpoints: [] },
    }),
  );
  const found = frames as readonly JsonObject[];
  const isWhole = found.at(-1)?.['verified'] === true && found.at(-1)?.['isSealed'] === true;
  return isWhole ? [] : found;
}
