import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { DamagedError, InvalidError, NotFoundError } from '#domain/errors.js';
import {
  trainingJobDecider,
  type StartingPoint,
  type TrainingJobState,
  type TrainedName,
  type TrainingRequest,
} from '#domain/training-job/index.js';
import { modelNameFor } from '#domain/model/index.js';
import { teamDecider, twoPeopleIn } from '#domain/team/index.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { requestedJob, type TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';
import { allChecks } from '../../all-checks.js';
import type { RateLimitName } from '../../limits/limit-table.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { ModelResolver, rootJobOf, type ResolvedModel } from '../../models/model-resolver.js';
import {
  requireInRange,
  requireOfKind,
  requireKnownLabels,
  requireOfRows,
  resolveConfiguration,
} from '../configuration.js';
import { DatasetClaims, type DatasetRequest } from '../../datasets/dataset-claims.js';
import { trainingTypeOf, type TrainingJobOrder } from '../order.js';
import { requireJobOnLog } from '../require-job.js';
import { heldOutAgain, heldOutRows, requireOneWay } from '../held-out.js';
import { requireProject } from '../../projects/require-project.js';
import { isPresent } from '#primitives/values.js';
import { versionOf } from '../../datasets/version-of.js';

const VISIBLE_IN = [trainingJobDocuments.collection];

export class StartTrainingJob extends CallerCommand<TrainingJobOrder, TrainingJobDocument> {
  static override readonly rateLimit: RateLimitName = 'training-start';
}

interface JobToRequest {
  readonly caller: Caller;
  readonly body: TrainingJobOrder;
  readonly jobId: string;
  readonly model: ResolvedModel;
  /** The job whose held-out rows are held out again. */
  readonly like: TrainingRequest | null;
  readonly projectId: string | null;
  readonly requests: readonly DatasetRequest[];
  readonly context: CommandContext;
}

/** Claims the datasets, pins everything that determines the result, and requests the job. */
@CommandHandler(StartTrainingJob)
export class StartTrainingJobHandler implements ICommandHandler<StartTrainingJob> {
  constructor(
    private readonly application: Application,
    private readonly models: ModelResolver,
    private readonly datasets: DatasetClaims,
    private readonly queues: WorkQueues,
  ) {}

  async execute({ caller, identity, input }: StartTrainingJob): Promise<TrainingJobDocument> {
    const context = callerContext(caller, identity);
    const { workspaceId } = caller;
    const jobId = derivedId(context.commandId, 'training-job');
    const known = await this.application.recall(trainingJobDecider, jobId, identity);
    if (known) return asRequested(known);
    const body = { ...input, base_model: await this.models.targetOf(caller, input.base_model) };
    requireOneWay(body);
    const asked = ({ name, version }: TrainingJobOrder['datasets'][number]) => ({ name, version: versionOf(version) });
    const requests: readonly DatasetRequest[] = [
      ...body.datasets.map((each) => ({ ...asked(each), isHeldOut: each.held_out ?? false })),
      ...(body.exclude_texts_of ?? []).map((each) => ({ ...asked(each), isExcluded: true })),
    ];
    const [model, like, projectId] = await allChecks(
      this.models.resolveTrainable(caller, body.base_model, trainingTypeOf(body)),
      this.jobLike(caller, body),
      requireProject(this.application, workspaceId, body.project_id),
      this.datasets.requireReadable(workspaceId, requests, 'job'),
      this.application.storage.requireRoom(workspaceId, { bytes: 1 }),
    );
    requireInRange(body, model.engine);
    requireOfKind(body, model);
    const state = await this.queues.enter('training-jobs', caller, () =>
      this.request({
        ...{ jobId, body, model, like, projectId, caller, context },
        requests: like ? heldOutAgain(requests, like) : requests,
      }),
    );
    return asRequested(state);
  }

  private async request(job: JobToRequest): Promise<TrainingJobState> {
    const { jobId, body, model, like, projectId, requests, caller, context } = job;
    const { workspaceId, userId } = caller;
    const claimant = { kind: 'job', id: jobId } as const;
    const datasets = await this.datasets.claim(
      workspaceId,
      requests,
      {
        id: model.baseModel.id,
        heads: model.heads,
        generates: model.generates,
        takesTools: model.takesTools,
        learnsTasks: model.engine.learnsTasks ?? false,
      },
      claimant,
      context,
    );
    const start = async () => {
      requireOfRows(body, datasets);
      requireKnownLabels(body, datasets);
      const multiplier = body.fineTuning?.learningRateMultiplier ?? null;
      const heldOut = heldOutRows(requests, datasets.pins, like);
      const configuration = resolveConfiguration(body, datasets, model, { multiplier, heldOut });
      return { configuration, startFrom: await this.copyStart(jobId, body.base_model, model) };
    };
    const named = await this.nameOf(caller, body);
    const { configuration, startFrom } = await start().catch(async (error: unknown) => {
      await this.datasets.release(workspaceId, requests, claimant, context);
      throw error;
    });
    const request: TrainingRequest = {
      jobId,
      workspaceId,
      userId,
      ...(named && { named }),
      modelName: body.model_name ?? `${model.baseModel.id.split('/').at(-1)}-${jobId.slice(0, 8)}`,
      baseModel: model.baseModel,
      engine: { name: model.engine.name, version: model.engine.version },
      startFrom,
      rootJobId: rootJobOf(model),
      datasets: datasets.pins,
      ...(datasets.excluded.length > 0 && { excludedTexts: datasets.excluded }),
      configuration,
      taskType: datasets.taskType,
      ...(datasets.classTasks.length > 0 && { classTasks: datasets.classTasks }),
      labels: [...new Set([...datasets.labels, ...Object.keys(configuration.labelDescriptions ?? {})])].toSorted(),
      projectId,
      ...(body.fineTuning && { fineTuning: body.fineTuning }),
    };
    const command = { type: 'request-training-job', ...request } as const;
    const { state } = await this.application.execute(trainingJobDecider, jobId, command, context, VISIBLE_IN);
    return state;
  }

  /** The name that the model gets; null: none. */
  private async nameOf(caller: Caller, { model_name: words, unnamed }: TrainingJobOrder): Promise<TrainedName | null> {
    const name = isPresent(words) && !unnamed ? modelNameFor(words) : null;
    if (name === null || (await this.models.isOfCatalog(caller, name))) return null;
    const team = await this.application.load(teamDecider, caller.teamId);
    const acts = team.status === 'none' ? [] : twoPeopleIn(team, caller.workspaceId);
    return { name, promotes: !acts.includes('promote') };
  }

  private async jobLike(caller: Caller, body: TrainingJobOrder): Promise<TrainingRequest | null> {
    const { hold_out_like: id, validation_data_percentage: share } = body;
    if (!isPresent(id)) return null;
    const { request: job } = await requireJobOnLog(this.application, caller.workspaceId, id);
    if (isPresent(share) && share !== job.configuration.validationShare)
      throw new InvalidError({
        path: ['body', 'validation_data_percentage'],
        message: `is taken from the job of hold_out_like (${job.configuration.validationShare}); leave it out`,
        type: 'not_allowed',
      });
    return job;
  }

  /**
   * A job that starts from another's files has its own copies: the other may be deleted.
   * @throws NotFoundError it is being deleted now; DamagedError its files are not those recorded
   */
  private async copyStart(
    jobId: string,
    modelId: string,
    { adapter, checkpointId, job }: ResolvedModel,
  ): Promise<StartingPoint | null> {
    if (!adapter || !job) return null;
    const { objectStore } = this.application.ports;
    const objectPrefix = `jobs/${jobId}/start`;
    try {
      for (const { name, sha256 } of adapter.files) {
        const copy = await objectStore.seal(`${adapter.objectPrefix}/${name}`, `${objectPrefix}/${name}`);
        if (copy.sha256 !== sha256)
          throw new DamagedError(
            `the stored weights of model ${modelId} are damaged: ${name} differs from the recorded file; restore the object store from a backup`,
          );
      }
    } catch (error) {
      await objectStore.deletePrefix(`${objectPrefix}/`).catch(() => undefined);
      throw error instanceof ObjectNotFoundError ? new NotFoundError('model', modelId) : error;
    }
    return { checkpointId, jobId: job.jobId, folder: { objectPrefix, files: adapter.files } };
  }
}

/** The job as its creation answered it, without later changes. */
export function asRequested(state: TrainingJobState): TrainingJobDocument {
  if (state.status === 'none' || state.status === 'deleted') throw new Error('a job was asked for, and is not there');
  return requestedJob({ ...state.request, requestedAt: state.requestedAt });
}
