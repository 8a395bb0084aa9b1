import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { loadModel } from '#application/models.js';
import { TrainingReferences } from '#rows/drift/index.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { driftOf, type VersionDrift } from '../drift.js';

interface DriftAsked {
  /** The model's. */
  readonly name: string;
  /** Number of weeks, up to the current one. */
  readonly weeks: number;
  /** Absent: the version in use. */
  readonly version?: number;
}

/** @throws NotFoundError, ConflictError */
export class GetDrift extends CallerQuery<DriftAsked, VersionDrift> {}

@QueryHandler(GetDrift)
export class GetDriftHandler implements IQueryHandler<GetDrift> {
  private readonly references: TrainingReferences;

  constructor(private readonly application: Application) {
    this.references = new TrainingReferences(application);
  }

  async execute({ caller: { workspaceId }, input: { name, weeks, version } }: GetDrift): Promise<VersionDrift> {
    const model = await loadModel(this.application, { workspaceId, name });
    const asked = { number: version ?? null, weeks, now: new Date().toISOString() };
    return driftOf(this.application, this.references, model, asked);
  }
}
