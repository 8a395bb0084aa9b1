import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { driftOf } from '../drift.js';
import { derivedId } from '#log/execute.js';
import { changeModel, loadModel } from '#application/models.js';
import { DRIFT_MEASURES, weekOf, weeksBefore } from '#domain/drift/index.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { driftKey, type DriftSeen, type NamedModel } from '#domain/model/index.js';
import { TrainingReferences } from '#rows/drift/index.js';
import type { DriftDocument } from '#projections/drift/projection.js';
import { weeksOfModel } from '#projections/drift/queries.js';
import type { RuledModel } from './ruled-model.js';

const ROLE = 'model-policies';
/** The current week, and the one before, whose last calls may have come after the last look. */
const WEEKS = 2;

/** Looks for drift of the versions of models that have calls, and puts it on record once. */
export class DriftWatch {
  private readonly references: TrainingReferences;
  /** Counts looked at last, by model: the texts of its weeks, and the bound. */
  private readonly seen = new Map<string, string>();

  constructor(private readonly application: Application) {
    this.references = new TrainingReferences(application);
  }

  async watch({ modelId, workspaceId, name, policy, policySetAt }: RuledModel): Promise<void> {
    const now = new Date().toISOString();
    const from = weeksBefore(weekOf(now), WEEKS - 1);
    const weeks = await weeksOfModel(this.application.ports.readStore, workspaceId, name, from);
    const state = [policySetAt, ...weeks.map(({ id, calls }) => `${id}=${calls}`)].join();
    if (this.seen.get(modelId) === state) return;
    try {
      const model = await loadModel(this.application, { workspaceId, name });
      for (const version of versionsIn(weeks, model))
        for (const drift of await this.found(model, version, policy.driftPsi!, now)) await this.record(model, drift);
    } catch (error) {
      // Deleted, or its history is full: nothing can be recorded.
      if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
    }
    this.seen.set(modelId, state);
  }

  /** Against the training first: if a measure is far from both baselines, that one is reported. */
  private async found(model: NamedModel, number: number, bound: number, now: string): Promise<readonly DriftSeen[]> {
    const { weeks } = await driftOf(this.application, this.references, model, { number, weeks: WEEKS, now });
    return weeks.flatMap(({ document: { week }, against }) =>
      DRIFT_MEASURES.flatMap((measure): DriftSeen[] => {
        const far = (['training', 'previous_week'] as const).find(
          (baseline) => (against[baseline]?.[measure] ?? 0) >= bound,
        );
        if (far === undefined) return [];
        const psi = Math.round(against[far]![measure]! * 1e4) / 1e4;
        const drift = { version: number, week, measure, against: far, psi, bound };
        return model.drifts.includes(driftKey(drift)) ? [] : [drift];
      }),
    );
  }

  private async record({ modelId, workspaceId, name }: NamedModel, drift: DriftSeen): Promise<void> {
    const context = systemContext(ROLE, workspaceId, derivedId(modelId, `drift/${driftKey(drift)}`));
    await changeModel(this.application, { workspaceId, name }, { type: 'detect-drift', ...drift }, context);
  }
}

/** Versions of a deleted model of the same name do not count. */
const versionsIn = (weeks: readonly DriftDocument[], { versions }: NamedModel): readonly number[] =>
  versions.flatMap(({ version }) => (weeks.some(({ modelVersion }) => modelVersion === version) ? [version] : []));
