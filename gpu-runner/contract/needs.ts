import type { EvaluationRequest } from '#domain/evaluation/index.js';
import type { ModelExportRequest } from '#domain/model-export/index.js';
import type { TrainingRequest } from '#domain/training-job/index.js';
import { baseModelSha256, type BaseModelFacts, type EngineFacts } from './engines.js';

type PinnedBaseModel = TrainingRequest['baseModel'];

/** Requirements of an attempt on its runner. null: any version, any files. */
export type Needs = {
  readonly engine: { readonly name: string; readonly version: string | null };
  readonly baseModel: { readonly id: string; readonly sha256: string | null };
  /** A training that ends soon, and may run beside another. */
  readonly isSmall?: true;
};

/** An engine of a runner, with its base models that are there. */
export type EngineOfRunner = {
  readonly name: string;
  readonly version: string;
  readonly baseModels: readonly PinnedBaseModel[];
};

/** Rows times epochs of a training that is small. */
const SMALL = 20_000;

type TrainingNeeds = Pick<TrainingRequest, 'engine' | 'baseModel' | 'datasets' | 'configuration'>;

export function needsOfTraining({ engine, baseModel, datasets, configuration }: TrainingNeeds): Needs {
  const rows = datasets.reduce((sum, dataset) => sum + dataset.rows, 0);
  return { engine, baseModel, ...(rows * configuration.epochs <= SMALL && { isSmall: true }) };
}

/** An engine of any version decides by itself whether it can serve an artifact. */
export const needsOfEvaluation = ({ engine, model }: Pick<EvaluationRequest, 'engine' | 'model'>): Needs => ({
  engine: { name: engine.name, version: null },
  baseModel: model.baseModel,
});

/** null for requests recorded before they had an engine. */
export const needsOfExport = ({ engine, baseModel }: Pick<ModelExportRequest, 'engine' | 'baseModel'>): Needs | null =>
  engine && baseModel ? { engine: { name: engine.name, version: null }, baseModel } : null;

/**
 * The needs without version and files. A runner with another version or other files refuses the attempt for good and names
 * both: otherwise a job of an engine that was upgraded everywhere would wait forever.
 */
export const loose = ({ engine, baseModel, ...size }: Needs): Needs => ({
  ...size,
  engine: { name: engine.name, version: null },
  baseModel: { id: baseModel.id, sha256: null },
});

/** Whether a runner with these engines can run an attempt with these needs. */
export const canRun = (engines: readonly EngineOfRunner[], { engine, baseModel }: Needs): boolean =>
  engines.some(
    ({ name, version, baseModels }) =>
      name === engine.name &&
      (engine.version === null || version === engine.version) &&
      baseModels.some(
        ({ id, sha256 }) => id === baseModel.id && (baseModel.sha256 === null || sha256 === baseModel.sha256),
      ),
  );

/** Whether an attempt may have the room that a runner has beside its capacity. @param beside engines that may */
export const isForBeside = (needs: Needs | null, beside: readonly string[]): boolean =>
  needs?.isSmall === true && beside.includes(needs.engine.name);

interface EngineHere extends Pick<EngineFacts, 'name' | 'version'> {
  readonly baseModels: readonly Pick<BaseModelFacts, 'id' | 'directory'>[];
}

/**
 * The engines as a runner reports them, without base models whose folders cannot be read.
 * @param onUnreadable called for each of these
 */
export const enginesOfRunner = (
  engines: readonly EngineHere[],
  onUnreadable: (error: unknown) => void = () => undefined,
): Promise<readonly EngineOfRunner[]> =>
  Promise.all(
    engines.map(async ({ name, version, baseModels }) => {
      const pinned = baseModels.map(async ({ id, directory }) => {
        const sha256 = await baseModelSha256(directory).catch((error: unknown) => {
          onUnreadable(new Error(`the base model ${id} cannot be read, and no work on it is taken`, { cause: error }));
          return null;
        });
        return sha256 === null ? [] : [{ id, sha256 }];
      });
      return { name, version, baseModels: (await Promise.all(pinned)).flat() };
    }),
  );
