import { auditKeys } from '#use-cases/audit/audit-keys.js';
import { extendTree, TreeReplacedError } from '#audit/builder.js';
import { parseVerifier, signerOf } from '#audit/checkpoint.js';
import { storedPages } from '#audit/stored-pages.js';
import { TreeFiles } from '#audit/tree-files.js';
import type { TestApi } from './api.js';
import { openSecretKey } from './open-secret-key.js';

/** Signs a checkpoint of all events so far, as the worker does each minute. */
export async function checkpointNow({
  application,
  settings,
}: Pick<TestApi, 'application' | 'settings'>): Promise<void> {
  const secret = openSecretKey(settings.dataDir, settings.secretKey);
  const { origin, seed, verifiers, saltKey } = await auditKeys(application, secret);
  for (;;)
    try {
      await extendTree({
        files: new TreeFiles(application.ports.objectStore),
        read: (position) => storedPages(application.storedEvents, position),
        signer: signerOf(origin, seed),
        verifiers: verifiers.map((key) => parseVerifier(key)),
        saltKey,
      });
      return;
    } catch (error) {
      // The worker signed one meanwhile.
      if (!(error instanceof TreeReplacedError)) throw error;
    }
}
