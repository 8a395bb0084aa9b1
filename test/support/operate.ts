import { creditOperations } from '#apps/operator/credits.js';
import { datasetOperations } from '#apps/operator/datasets.js';
import { rebillOperations } from '#apps/operator/rebill.js';
import { signInLinks, signInOperations } from '#apps/operator/sign-in-links.js';
import { teamOperations } from '#apps/operator/teams.js';
import { projectionsOverBus } from '#projector/over-bus.js';
import type { JsonObject } from '#domain/json.js';
import { openSecretKey } from '#secrets/index.js';
import type { TestApi } from './api.js';

/** Asks a running system as the operator's command would. @returns the frames @throws OperationError */
export async function operate(
  { application, settings, url }: Pick<TestApi, 'application' | 'settings' | 'url'>,
  name: string,
  args: JsonObject = {},
): Promise<readonly JsonObject[]> {
  const newLink = signInLinks(application, openSecretKey(settings.dataDir, settings.secretKey), { url });
  const operations = {
    ...teamOperations(application, newLink),
    ...signInOperations(application, newLink),
    ...creditOperations(application),
    ...datasetOperations(application),
    ...rebillOperations(application, projectionsOverBus(application.ports.bus)),
  };
  return (await Array.fromAsync(operations[name]!(args, AbortSignal.timeout(60_000)))) as JsonObject[];
}
