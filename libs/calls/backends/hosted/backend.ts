import type { Account, AccountBook } from '#application/accounts/index.js';
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
export const workspaceOf = (account: Account, { workspaceId }: Caller): CallingWorkspace => ({
  id: workspaceId,
  maxCalls: limitOf(account, 'hosted_calls'),
});
