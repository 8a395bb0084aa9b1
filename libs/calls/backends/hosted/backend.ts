import type { AccountBook } from '#application/accounts/index.js';
import type { Caller } from '#application/caller.js';
import { ConflictError } from '#domain/errors.js';
import { limitOf } from '#domain/team/index.js';
import type { CallingWorkspace, HostedModel, HostedModels } from '#hosted-models/port.js';
import type { Backend, Lifecycle } from '../../lifecycle.js';
import type { Model } from '../../models.js';
import { failureOf } from './failure.js';

/** Providers elsewhere, which charge for a call whether this process sees its end or not. */
export const HOSTED: Backend = { opensCalls: true, failureOf };

export interface HostedParts {
  readonly lifecycle: Lifecycle;
  readonly hosted: HostedModels;
  readonly accounts: Pick<AccountBook, 'of'>;
}

/** Whose call a provider is asked for, and how many that workspace may have there. */
export async function workspaceOf(
  accounts: Pick<AccountBook, 'of'>,
  { teamId, workspaceId }: Caller,
): Promise<CallingWorkspace> {
  return { id: workspaceId, maxCalls: limitOf(await accounts.of(teamId), 'hosted_calls') };
}

/** @throws ConflictError the model is not served here */
export function upstreamOf({ modelId, entry }: Model, hosted: HostedModels): HostedModel {
  const { provider, supports_inference: serves } = entry;
  if (provider && hosted.has(provider.name) && serves) return provider;
  throw new ConflictError(`model ${modelId} is in the catalog, and not served here for inference`);
}
