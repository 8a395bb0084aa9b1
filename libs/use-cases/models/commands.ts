import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { changeModel, loadModel, modelStreamId, type ModelName } from '#application/models.js';
import { Models } from '#calls/models.js';
import { ConflictError, InvalidError, NotFoundError } from '#domain/errors.js';
import {
  modelDecider,
  type ModelChange,
  type ModelState,
  type NamedModel,
  type VersionSource,
  versionOf,
} from '#domain/model/index.js';
import { Catalog } from '#models/catalog/catalog.js';
import { MAX_NAMES, pageOfModels } from '#projections/models/queries.js';
import { KeyGate } from '../limits/key-gate.js';
import { CallerCommand, type Act } from '../commands-and-queries.js';
import { isPresent } from '#primitives/values.js';

/** A complete change of a name. */
export class ChangeModel extends CallerCommand<{ readonly name: string; readonly change: ModelChange }, NamedModel> {
  /** What has calls answered by a version that did not answer them before is a promotion. */
  static override actOf({ name, change }: ChangeModel['input']): Act | null {
    const kind = { kind: 'promote', command: 'change-model' } as const;
    switch (change.type) {
      case 'promote-version':
        return { ...kind, about: `put ${name}@${change.version} in use`, reason: change.reason };
      case 'set-label':
        return { ...kind, about: `give ${name}@${change.version} the label ${change.label}`, reason: change.reason };
      case 'set-traffic':
        if (change.traffic === null) return null;
        return {
          ...{ ...kind, reason: change.reason },
          about: `let ${name}@${change.traffic.version} answer ${change.traffic.percent}% of the callers`,
        };
      default:
        return null;
    }
  }
}

@CommandHandler(ChangeModel)
export class ChangeModelHandler implements ICommandHandler<ChangeModel> {
  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly keys: KeyGate,
  ) {}

  /** @throws NotFoundError, ConflictError, InvalidError; ForbiddenError the caller's key may not call the model of the version */
  async execute({ caller, identity, input: { name, change } }: ChangeModel): Promise<NamedModel> {
    const { workspaceId } = caller;
    const version = versionIn(change);
    if (version !== null)
      await requireCallable(
        this.keys,
        caller,
        versionOf(await loadModel(this.application, { workspaceId, name }), version),
      );
    if (change.type === 'set-shadow') await this.requireComparable({ workspaceId, name }, change.version);
    return present(await changeModel(this.application, { workspaceId, name }, change, callerContext(caller, identity)));
  }

  /** @throws NotFoundError; ConflictError a version that answers otherwise than the one in use */
  private async requireComparable(model: ModelName, version: number | null): Promise<void> {
    if (version === null) return;
    const state = await loadModel(this.application, model);
    const kindsOf = (number: number | null): readonly string[] => {
      const { baseModel = '', distillationId } = versionOf(state, number) ?? {};
      const kind = this.catalog.resolve(baseModel)?.task_type;
      // Distilled versions take their teachers' calls as well.
      return [...(kind ? [kind] : []), ...(distillationId !== undefined ? ['decoder'] : [])];
    };
    const [kinds, inUse] = [kindsOf(version), kindsOf(state.inUse)];
    if (kinds.includes('embedding'))
      throw new ConflictError(`model ${model.name} makes embeddings, which have no shadow calls`);
    if (kinds.length > 0 && inUse.length > 0 && !kinds.some((kind) => inUse.includes(kind)))
      throw new ConflictError(
        `version ${version} of model ${model.name} is of another kind (${kinds[0]}) than the one in use`,
      );
  }
}

/** The version that a change lets a name run; null: none. */
const versionIn = (change: ModelChange): number | null => {
  if (change.type === 'set-traffic') return change.traffic?.version ?? null;
  return 'version' in change ? change.version : null;
};

/**
 * Under a name that a key may call, it would call a model that it may not. Trained ones are the workspace's own.
 * @param version null: there is none
 * @throws ForbiddenError the caller's key does not allow the model of the version
 */
async function requireCallable(keys: KeyGate, caller: Caller, version: VersionSource | null): Promise<void> {
  if (version?.trainingJobId === null) await keys.requireModel(caller, version.baseModel);
}

interface NameToCreate {
  readonly name: string;
  readonly description?: string | null;
}

export class CreateNamedModel extends CallerCommand<NameToCreate, NamedModel> {}

@CommandHandler(CreateNamedModel)
export class CreateNamedModelHandler implements ICommandHandler<CreateNamedModel> {
  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
  ) {}

  /** @throws ConflictError, InvalidError */
  async execute({ caller, identity, input }: CreateNamedModel): Promise<NamedModel> {
    const { workspaceId } = caller;
    const { name, description = null } = input;
    const known = await this.application.recall(modelDecider, modelStreamId(workspaceId, name), identity);
    if (known) return present(known);
    if (this.catalog.resolve(name))
      throw new ConflictError(
        `${name} is the id of a catalog model, which calls by this name would run; choose another name`,
      );
    const { total } = await pageOfModels(this.application.ports.readStore, workspaceId, { limit: 1, offset: 0 });
    if (total >= MAX_NAMES)
      throw new ConflictError(`this workspace has ${MAX_NAMES} model names, the maximum; delete one`);
    const change = { type: 'create-model', description } as const;
    return present(await changeModel(this.application, { workspaceId, name }, change, callerContext(caller, identity)));
  }
}

/** Exactly one of both ids, with the field names of `POST /models/{name}/versions`, which errors name. */
interface VersionToAdd {
  /** The model's. */
  readonly name: string;
  readonly training_job_id?: string | null;
  /** Of the catalog. */
  readonly model_id?: string | null;
}

export class AddModelVersion extends CallerCommand<VersionToAdd, NamedModel> {}

@CommandHandler(AddModelVersion)
export class AddModelVersionHandler implements ICommandHandler<AddModelVersion> {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly keys: KeyGate,
  ) {}

  /** @throws NotFoundError, ConflictError, InvalidError; ForbiddenError the caller's key may not call that model of the catalog */
  async execute({ caller, identity, input }: AddModelVersion): Promise<NamedModel> {
    const model = { workspaceId: caller.workspaceId, name: input.name };
    const known = await this.application.recall(modelDecider, modelStreamId(model.workspaceId, model.name), identity);
    if (known) return present(known);
    const source = await this.source(caller, input);
    const change = { type: 'add-version', ...source } as const;
    return present(await changeModel(this.application, model, change, callerContext(caller, identity)));
  }

  private async source(
    caller: Caller,
    { training_job_id: jobId, model_id: modelId }: VersionToAdd,
  ): Promise<VersionSource> {
    if (isPresent(jobId) === isPresent(modelId))
      throw refused(
        'training_job_id',
        'is required, or model_id; send exactly one of the two',
        isPresent(jobId) ? 'not_allowed' : 'missing',
      );
    const { entry, named, trainingJobId, reference } = await this.models.resolve(caller, (jobId ?? modelId)!);
    if (named !== null)
      throw refused(
        isPresent(jobId) ? 'training_job_id' : 'model_id',
        `must be the id of a training job or of the catalog, and ${named.name} is a name`,
      );
    if (isPresent(jobId) && trainingJobId === null) throw new NotFoundError('training job', jobId);
    if (reference instanceof ConflictError) throw reference;
    const source = { target: trainingJobId ?? entry.id, trainingJobId, baseModel: entry.id };
    await requireCallable(this.keys, caller, source);
    return source;
  }
}

const refused = (field: string, message: string, type = 'not_allowed'): InvalidError =>
  new InvalidError({ path: ['body', field], message, type });

interface Rollback {
  /** The model's. */
  readonly name: string;
  /** Absent or null: the version that was in use before. */
  readonly version?: number | null;
  readonly reason: string;
}

export class RollBackModel extends CallerCommand<Rollback, NamedModel> {
  /** Back to the version in use before needs nobody else: it was confirmed then, and a bad version must go at once. */
  static override actOf({ name, version, reason }: Rollback): Act | null {
    if (!isPresent(version)) return null;
    return { kind: 'promote', command: 'roll-back-model', about: `roll ${name} back to version ${version}`, reason };
  }
}

@CommandHandler(RollBackModel)
export class RollBackModelHandler implements ICommandHandler<RollBackModel> {
  constructor(
    private readonly application: Application,
    private readonly keys: KeyGate,
  ) {}

  /** @throws NotFoundError, ConflictError; ForbiddenError as for any change */
  async execute({ caller, identity, input: { name, reason, ...asked } }: RollBackModel): Promise<NamedModel> {
    const model = { workspaceId: caller.workspaceId, name };
    const known = await this.application.recall(modelDecider, modelStreamId(model.workspaceId, name), identity);
    if (known) return present(known);
    const named = await loadModel(this.application, model);
    const version = asked.version ?? named.earlier.at(-1);
    if (version === undefined)
      throw new ConflictError(`model ${name} had no other version in use before; name the version to roll back to`);
    await requireCallable(this.keys, caller, versionOf(named, version));
    const change = { type: 'roll-back', version, reason } as const;
    return present(await changeModel(this.application, model, change, callerContext(caller, identity)));
  }
}

export class DeleteNamedModel extends CallerCommand<string, void> {
  static override actOf(name: string): Act {
    return { kind: 'delete', command: 'delete-model', about: `delete the name ${name}` };
  }
}

@CommandHandler(DeleteNamedModel)
export class DeleteNamedModelHandler implements ICommandHandler<DeleteNamedModel> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError */
  async execute({ caller, identity, input: name }: DeleteNamedModel): Promise<void> {
    const model = { workspaceId: caller.workspaceId, name };
    await loadModel(this.application, model);
    await changeModel(this.application, model, { type: 'delete-model' }, callerContext(caller, identity));
  }
}

function present(state: ModelState): NamedModel {
  if (state.status !== 'active') throw new Error('a model was changed, and is not there');
  return state;
}
