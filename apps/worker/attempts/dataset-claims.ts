import type { Application } from '#application/application.js';
import { systemContext } from '#application/context.js';
import { datasetDecider, type ClaimantKind, type DatasetEvent } from '#domain/dataset/index.js';
import { evaluationDecider, type EvaluationEvent } from '#domain/evaluation/index.js';
import { trainingJobDecider, type TrainingJobEvent } from '#domain/training-job/index.js';
import type { RecordedEvent } from '#event-store/port.js';
import type { ProcessManager } from '#process-manager/process-manager.js';

/** Claims on datasets that stand, by dataset stream and claimant. */
export type StandingClaims = ReadonlyMap<string, StandingClaim>;

interface StandingClaim {
  /** Id of the dataset's stream. */
  readonly datasetId: string;
  readonly workspaceId: string | null;
  readonly claimantKind: ClaimantKind;
  readonly claimantId: string;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  /** Whether the claimant has begun, and whether it has ended. */
  readonly claimant: 'awaited' | 'active' | 'ended';
}

export type ReleaseClaim = Pick<StandingClaim, 'datasetId' | 'workspaceId' | 'claimantKind' | 'claimantId'>;

/** A claimant that has not begun by then never will. */
export const APPEARS_WITHIN_MS = 60_000;

const BEGINS = { 'training-job-requested.v1': 'job', 'evaluation-requested.v1': 'evaluation' } as const;
const ENDS = {
  'training-job-completed.v1': 'job',
  'training-job-failed.v1': 'job',
  'training-job-cancelled.v1': 'job',
  'training-job-deleted.v1': 'job',
  'evaluation-completed.v1': 'evaluation',
  'evaluation-failed.v1': 'evaluation',
  'evaluation-deleted.v1': 'evaluation',
} as const;

/** Releases what a job or an evaluation holds of datasets when it has ended, or when it never began. */
export function datasetClaimsManager(application: Application): ProcessManager<StandingClaims, ReleaseClaim> {
  return {
    name: 'dataset-claims',
    handles: ['dataset-version-claimed.v1', 'dataset-claims-released.v1', ...Object.keys(BEGINS), ...Object.keys(ENDS)],
    initial: new Map(),
    evolve: evolveClaims,
    pending: pendingReleases,
    key: ({ datasetId, claimantKind, claimantId }) => `${datasetId}/${claimantKind}/${claimantId}`,
    async execute({ datasetId, workspaceId, claimantKind, claimantId }) {
      // This manager may be far behind the log: it was stopped, or the log was away. The claimant's own stream is not.
      if (await isActive(application, claimantKind, claimantId)) return;
      await application.execute(
        datasetDecider,
        datasetId,
        { type: 'release-claims', claimantKind, claimantId },
        systemContext('dataset-claims', workspaceId),
      );
    },
  };
}

async function isActive(application: Application, kind: ClaimantKind, id: string): Promise<boolean> {
  const { status } =
    kind === 'job' ? await application.load(trainingJobDecider, id) : await application.load(evaluationDecider, id);
  return status === 'requested' || status === 'queued' || status === 'running';
}

export function evolveClaims(claims: StandingClaims, recorded: RecordedEvent): StandingClaims {
  const event = recorded as unknown as DatasetEvent | TrainingJobEvent | EvaluationEvent;
  switch (event.type) {
    case 'dataset-version-claimed.v1': {
      const { claimantKind, claimantId, claimedAt } = event.data;
      const datasetId = datasetIdOf(recorded);
      const claim: StandingClaim = {
        datasetId,
        workspaceId: recorded.metadata.workspaceId,
        claimantKind,
        claimantId,
        claimedAt: Date.parse(claimedAt),
        claimant: 'awaited',
      };
      return new Map(claims).set(keyOf(claim), claim);
    }
    case 'dataset-claims-released.v1': {
      const rest = new Map(claims);
      rest.delete(keyOf({ datasetId: datasetIdOf(recorded), ...event.data }));
      return rest;
    }
    default: {
      const begun = event.type in BEGINS;
      const kind = { ...BEGINS, ...ENDS }[event.type as keyof typeof BEGINS | keyof typeof ENDS];
      const { jobId, evaluationId } = event.data as { jobId?: string; evaluationId?: string };
      return withClaimant(claims, kind, jobId ?? evaluationId ?? '', begun ? 'active' : 'ended');
    }
  }
}

export function pendingReleases(claims: StandingClaims, now: number): readonly ReleaseClaim[] {
  return [...claims.values()].filter(
    ({ claimant, claimedAt }) =>
      claimant === 'ended' || (claimant === 'awaited' && now - claimedAt > APPEARS_WITHIN_MS),
  );
}

function withClaimant(
  claims: StandingClaims,
  kind: ClaimantKind,
  id: string,
  claimant: StandingClaim['claimant'],
): StandingClaims {
  const own = [...claims].filter(([, claim]) => claim.claimantKind === kind && claim.claimantId === id);
  if (own.length === 0) return claims;
  const changed = new Map(claims);
  for (const [key, claim] of own) changed.set(key, { ...claim, claimant });
  return changed;
}

const keyOf = ({ datasetId, claimantKind, claimantId }: Omit<ReleaseClaim, 'workspaceId'>): string =>
  `${datasetId}/${claimantKind}/${claimantId}`;

const datasetIdOf = ({ stream }: RecordedEvent): string => stream.slice(stream.indexOf('-') + 1);
