import type { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { proposalDecider, type ProposalEvent } from '#domain/proposal/index.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';

interface OpenProposal {
  readonly proposalId: string;
  readonly workspaceId: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Open proposals by id, oldest first. */
type OpenProposals = ReadonlyMap<string, OpenProposal>;

const MAX_AT_ONCE = 16;

/** Ends proposals that nobody has decided in time. */
export function expiringProposals(
  application: Application,
): ProcessManager<OpenProposals, OpenProposal, ProposalEvent> {
  return {
    name: 'proposals',
    initial: new Map(),
    on: {
      'act-proposed.v1': (open, { data: { proposalId, workspaceId, expiresAt } }) =>
        new Map(open).set(proposalId, { proposalId, workspaceId, expiresAt: Date.parse(expiresAt) }),
      'proposal-confirmed.v1': without,
      'proposal-declined.v1': without,
      'proposal-expired.v1': without,
    },
    // All are open for the same time.
    pending: (open, now) => [
      ...open
        .values()
        .take(MAX_AT_ONCE)
        .filter(({ expiresAt }) => expiresAt <= now),
    ],
    key: ({ proposalId }) => proposalId,
    workspaceOf: ({ workspaceId }) => workspaceId,
    async execute({ proposalId, workspaceId }) {
      const context = systemContext('proposals', workspaceId, derivedId(proposalId, 'expired'));
      const command = { type: 'expire', proposalId, workspaceId } as const;
      await application.execute(proposalDecider, proposalId, command, context).catch((error: unknown) => {
        // Deleted in the meantime.
        if (!(error instanceof NotFoundError)) throw error;
      });
    },
  };
}

function without(open: OpenProposals, { data: { proposalId } }: ProposalEvent): OpenProposals {
  const others = new Map(open);
  others.delete(proposalId);
  return others;
}
