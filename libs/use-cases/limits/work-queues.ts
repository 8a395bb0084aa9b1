import { Injectable } from '@nestjs/common';
import { AccountBook } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { QueueFullError } from '#domain/errors.js';
import { limitOf, type LimitName } from '#domain/team/index.js';
import { openBatches } from '#projections/batches/queries.js';
import { unfinishedVersions } from '#projections/dataset-versions/queries.js';
import { openEvaluations } from '#projections/evaluations/queries.js';
import { openGenerationJobs } from '#projections/generation-jobs/queries.js';
import { openExports } from '#projections/model-exports/queries.js';
import { openTrainingJobs } from '#projections/training-jobs/queries.js';
import { ReadStoreUnavailableError, type ReadStoreQueries } from '#ports/read-store/port.js';

interface WorkQueue {
  readonly limit: LimitName;
  /** Counts a workspace's items in the queue. */
  readonly count: (store: ReadStoreQueries, workspaceId: string) => Promise<number>;
  /** Name of the work, for messages. */
  readonly of: string;
  readonly retryAfterSeconds: number;
}

/** Queues by the scope that a 429 names. */
const QUEUES = {
  'training-jobs': {
    limit: 'training_jobs',
    count: openTrainingJobs,
    of: 'training jobs',
    retryAfterSeconds: 60,
  },
  evaluations: {
    limit: 'evaluations',
    count: openEvaluations,
    of: 'evaluations',
    retryAfterSeconds: 10,
  },
  generation: {
    limit: 'generation_jobs',
    count: openGenerationJobs,
    of: 'generation jobs',
    retryAfterSeconds: 10,
  },
  exports: {
    limit: 'exports',
    count: openExports,
    of: 'exports',
    retryAfterSeconds: 10,
  },
  batches: {
    limit: 'batches',
    count: openBatches,
    of: 'batches',
    retryAfterSeconds: 60,
  },
  'dataset-processing': {
    limit: 'processing_versions',
    count: unfinishedVersions,
    of: 'dataset versions',
    retryAfterSeconds: 10,
  },
} as const satisfies Record<string, WorkQueue>;

type QueueName = keyof typeof QUEUES;

/** Bounds the work of a workspace that waits for workers and runners. */
@Injectable()
export class WorkQueues {
  /** Entries on their way, by queue and workspace: no read model counts them yet. */
  private readonly entering = new Map<string, number>();

  constructor(
    private readonly application: Application,
    private readonly accounts: AccountBook,
  ) {}

  /**
   * Admits an item to a queue of the caller's workspace. Concurrent processes may admit a few too many, and nothing is
   * counted while the read models are unavailable.
   * @throws QueueFullError
   */
  async enter<T>(name: QueueName, { teamId, workspaceId }: Caller, enter: () => Promise<T>): Promise<T> {
    const queue: WorkQueue = QUEUES[name];
    const limit = limitOf(await this.accounts.of(teamId), queue.limit);
    const counted = await this.count(queue, workspaceId);
    const key = `${name}/${workspaceId}`;
    const entering = this.entering.get(key) ?? 0;
    const length = counted + entering;
    if (length >= limit) throw full(name, queue, { length, limit });
    this.entering.set(key, entering + 1);
    try {
      return await enter();
    } finally {
      const left = this.entering.get(key)! - 1;
      if (left > 0) this.entering.set(key, left);
      else this.entering.delete(key);
    }
  }

  private async count({ count }: WorkQueue, workspaceId: string): Promise<number> {
    try {
      return await count(this.application.ports.readStore, workspaceId);
    } catch (error) {
      if (error instanceof ReadStoreUnavailableError) return 0;
      throw error;
    }
  }
}

function full(name: QueueName, { of, retryAfterSeconds }: WorkQueue, queue: { length: number; limit: number }) {
  const { length, limit } = queue;
  const message = `this workspace has ${length} ${of} waiting or running, and may have ${limit}; wait until some have ended`;
  return new QueueFullError(message, name, queue, retryAfterSeconds);
}
