import type { AddressInfo } from 'node:net';
import { ENGINES } from '#gpu-runner/engines/engines.js';
import { createLogger } from '#primitives/logging/logger.js';
import { Settings } from '#settings/index.js';
import { requestJson, type TestApi, type TestSystem } from './api.js';
import { openApi, type ApiChanges } from './open-api.js';
import { openSecretKey } from './open-secret-key.js';

export interface AnotherApi extends Pick<TestSystem, 'url' | 'app' | 'call'> {
  close(): Promise<void>;
}

/**
 * Another API of a test system, as another replica has it, with settings of its own. It starts in a tenth of the time of a system.
 * @param values settings that concern the API alone
 */
export async function anotherApi(
  system: Pick<TestApi, 'application' | 'settings' | 'key'>,
  values: Partial<Settings> = {},
  changes: ApiChanges = {},
): Promise<AnotherApi> {
  const settings = new Settings({ ...system.settings, ...values });
  const parts = {
    ...{ application: system.application, settings, engines: ENGINES, healthSources: [] },
    ...{ secret: openSecretKey(settings.dataDir, settings.secretKey), logger: createLogger('silent') },
  };
  const app = await openApi(parts, changes);
  await app.listen(0, settings.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://${settings.host}:${port}`;
  return {
    url,
    app,
    call: (method, path, body, headers = { 'x-api-key': system.key }) => requestJson(url + path, method, body, headers),
    close: () => app.close(),
  };
}
