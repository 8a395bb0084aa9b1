import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { locationsOf, type Locations } from '#apps/composition/locations.js';
import { openPresentCoordination } from '#apps/composition/open-ports.js';
import { OpenParts } from '#apps/composition/open-parts.js';
import { earlierKeys, keptFingerprints } from '#application/secret-rotation.js';
import { OperationError } from '#apps/operator/operation.js';
import { decodeSecret, givenSecret, type SecretKey } from '#primitives/secrets/secret-key.js';
import type { Settings } from '#settings/index.js';

/** What `audit verify` reads. @param secretFile default: the secret of the settings, or of the data folder */
export async function placesOf(settings: Settings, secretFile?: string) {
  const locations = locationsOf(settings);
  const { eventStore, objectStore, contentKeys: keys } = locations;
  const text = secretFile === undefined ? givenSecret(settings.dataDir, settings.secretKey)?.text : read(secretFile);
  if (text === undefined) return { eventStore, objectStore, contents: null };
  return { eventStore, objectStore, contents: { ...(await withEarlier(locations, secretOf(text))), keys } };
}

/** The secret with the keys of earlier ones that coordination keeps, if it is there. */
async function withEarlier(locations: Locations, secret: SecretKey) {
  const { coordination: place } = locations;
  if (place.adapter === 'sqlite' && !existsSync(join(place.directory, 'coordination.db'))) return { secret };
  const parts = new OpenParts();
  try {
    const coordination = await openPresentCoordination(locations, parts);
    return {
      secret: secret.accepting(null, await earlierKeys(coordination, secret)),
      earlier: await keptFingerprints(coordination, secret, 'content-hmac'),
    };
  } finally {
    await parts.close();
  }
}

/** @throws OperationError */
function secretOf(text: string): SecretKey {
  try {
    return decodeSecret(text);
  } catch (error) {
    throw new OperationError(`--secret: ${(error as Error).message}`);
  }
}

/** @throws OperationError */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new OperationError(`--secret: ${file} cannot be read: ${(error as Error).message}`);
  }
}
