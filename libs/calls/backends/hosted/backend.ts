import type { AccountBook } from '#application/accounts/index.js';
import type { Caller } from '#application/caller.js';
import { limitOf } from '#domain/team/index.js';
import type { CallingWorkspace, HostedModels } from '../../hosted/port.js';
import type { CallBackend, Lifecycle } from '../../lifecycle.js';
import { failureOf } from './failure.js';

/** Providers elsewhere, which charge for a call whether this process sees its end or not. */
export const HOSTED: CallBackend = { opensCalls: true, failureOf };

export interface HostedParts {
  readonly lifecycle: Lifecycle;
  readonly hosted: HostedModels;
  readonly accounts: Pick<AccountBook, 'of'>;
}

/** The workspace of a provider call, and the maximum number of its calls there. */
export async function workspaceOf(
  accounts: Pick<AccountBook, 'of'>,
  { teamId, workspaceId }: Caller,
): Promise<CallingWorkspace> {
  return { id: workspaceId, maxCalls: limitOf(await accounts.of(teamId), 'hosted_calls') };
}
