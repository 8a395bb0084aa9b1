import { locationsOf } from '#apps/composition/locations.js';
import { allOperations } from '#apps/operator/index.js';
import { projectionsOverBus } from '#log/projector/over-bus.js';
import type { JsonObject } from '#domain/json.js';
import { decodeSecret, previousSecret } from '#primitives/secrets/index.js';
import type { TestApi } from './api.js';
import { openSecretKey } from './open-secret-key.js';

/** Asks a running system as the operator's command would. @returns the frames @throws OperationError */
export async function operate(
  { application, settings, url }: Pick<TestApi, 'application' | 'settings' | 'url'>,
  name: string,
  args: JsonObject = {},
): Promise<readonly JsonObject[]> {
  const before = previousSecret(settings.dataDir, settings.secretKeyPrevious);
  const secret = openSecretKey(settings.dataDir, settings.secretKey).accepting(before && decodeSecret(before.text));
  const contentKeys = { store: locationsOf(settings).contentKeys, wrappingKeys: secret.keys('content-keys') };
  const projectionHost = projectionsOverBus(application.ports.bus);
  const operations = allOperations({
    ...{ settings, application, secret, contentKeys, projectionHost },
    publicAddress: { url },
  });
  return (await Array.fromAsync(operations[name]!(args, AbortSignal.timeout(60_000)))) as JsonObject[];
}
