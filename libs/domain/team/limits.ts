interface WorkspaceLimit {
  readonly default: number;
  readonly unit: string;
  /** The bounded thing, for people. */
  readonly meaning: string;
}

/**
 * Limits on what one workspace may hold, or have waiting, at once. An operator can change them for the workspaces of a
 * team.
 */
export const WORKSPACE_LIMITS = {
  stored_bytes: {
    default: 100 * 1024 ** 3,
    unit: 'bytes',
    meaning: 'datasets as uploaded and as rows, checkpoints and adapters of training jobs, predictions of evaluations',
  },
  stored_rows: {
    default: 100_000_000,
    unit: 'rows',
    meaning: 'rows of all ready dataset versions',
  },
  open_uploads: {
    default: 100,
    unit: 'uploads',
    meaning: 'uploads that were begun and not yet processed',
  },
  training_jobs: {
    default: 100,
    unit: 'jobs',
    meaning: 'training jobs that wait or run',
  },
  evaluations: {
    default: 500,
    unit: 'evaluations',
    meaning: 'evaluations that wait or run; those that follow a training by themselves count, and are never refused',
  },
  generation_jobs: {
    default: 50,
    unit: 'jobs',
    meaning: 'generation jobs that wait or run',
  },
  exports: {
    default: 20,
    unit: 'exports',
    meaning: 'exports of trained models that wait or run',
  },
  batches: {
    default: 20,
    unit: 'batches',
    meaning: 'batches of requests that wait or run',
  },
  webhooks: {
    default: 20,
    unit: 'webhooks',
    meaning: 'webhooks, whether enabled or not',
  },
  processing_versions: {
    default: 100,
    unit: 'versions',
    meaning: 'versions of datasets that are fetched from a hub, merged, converted or validated',
  },
  hosted_calls: {
    default: 500,
    unit: 'calls',
    meaning: 'calls to one provider of hosted models that are under way or wait for a connection, in each process',
  },
} as const satisfies Record<string, WorkspaceLimit>;

export type LimitName = keyof typeof WORKSPACE_LIMITS;

export const LIMIT_NAMES = Object.keys(WORKSPACE_LIMITS) as LimitName[];

/** Limits set by an operator; the others have their defaults. */
export type TeamLimits = ReadonlyMap<LimitName, number>;

/** The limit in force for each workspace of a team. */
export const limitOf = ({ limits }: { readonly limits: TeamLimits }, name: LimitName): number =>
  limits.get(name) ?? WORKSPACE_LIMITS[name].default;

export const isLimitName = (name: string): name is LimitName => Object.hasOwn(WORKSPACE_LIMITS, name);
