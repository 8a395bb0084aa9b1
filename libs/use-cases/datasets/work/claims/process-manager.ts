import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { datasetDecider, type ClaimantKind, type DatasetEvent } from '#domain/dataset/index.js';
import { evaluationDecider, type EvaluationEvent } from '#domain/evaluation/index.js';
import { trainingJobDecider, type TrainingJobEvent } from '#domain/training-job/index.js';
import type { Handlers } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';

/** Existing claims, by dataset stream and claimant. */
export type StandingClaims = ReadonlyMap<string, StandingClaim>;

interface StandingClaim {
  /** Id of the dataset's stream. */
  readonly datasetId: string;
  readonly workspaceId: string | null;
  readonly claimantKind: ClaimantKind;
  readonly claimantId: string;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
  /** Whether the claimant has started or ended. */
  readonly claimant: 'awaited' | 'active' | 'ended';
}

type ReleaseClaim = Pick<StandingClaim, 'datasetId' | 'workspaceId' | 'claimantKind' | 'claimantId'>;

/** A claimant that has not begun by then never will. */
export const APPEARS_WITHIN_MS = 60_000;

/** Releases the claims of jobs and evaluations that have ended or never began. */
export function datasetClaims(application: Application): ProcessManager<StandingClaims, ReleaseClaim, ClaimEvent> {
  return {
    name: 'dataset-claims',
    initial: new Map(),
    on: CLAIMS,
    pending: pendingReleases,
    key: ({ datasetId, claimantKind, claimantId }) => `${datasetId}/${claimantKind}/${claimantId}`,
    async execute({ datasetId, workspaceId, claimantKind, claimantId }) {
      // The manager may be far behind the log after an outage; the claimant's own stream is current.
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

type ClaimEvent = DatasetEvent | TrainingJobEvent | EvaluationEvent;

export const CLAIMS: Handlers<StandingClaims, ClaimEvent> = {
  'dataset-version-claimed.v1'(claims, { stream, metadata: { workspaceId }, data }) {
    const { claimantKind, claimantId, claimedAt } = data;
    const claim = { datasetId: datasetIdOf(stream), workspaceId, claimantKind, claimantId };
    return new Map(claims).set(keyOf(claim), { ...claim, claimedAt: Date.parse(claimedAt), claimant: 'awaited' });
  },
  'dataset-claims-released.v1'(claims, { stream, data }) {
    const rest = new Map(claims);
    rest.delete(keyOf({ datasetId: datasetIdOf(stream), ...data }));
    return rest;
  },
  'training-job-requested.v1': (claims, { data }) => withClaimant(claims, 'job', data.jobId, 'active'),
  'training-job-completed.v1': jobEnded,
  'training-job-failed.v1': jobEnded,
  'training-job-cancelled.v1': jobEnded,
  'training-job-deleted.v1': jobEnded,
  'evaluation-requested.v1': (claims, { data }) => withClaimant(claims, 'evaluation', data.evaluationId, 'active'),
  'evaluation-completed.v1': evaluationEnded,
  'evaluation-failed.v1': evaluationEnded,
  'evaluation-deleted.v1': evaluationEnded,
};

function jobEnded(claims: StandingClaims, { data }: TrainingJobEvent): StandingClaims {
  return withClaimant(claims, 'job', data.jobId, 'ended');
}

function evaluationEnded(claims: StandingClaims, { data }: EvaluationEvent): StandingClaims {
  return withClaimant(claims, 'evaluation', data.evaluationId, 'ended');
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

const datasetIdOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);
