import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext, type Caller } from '#application/caller.js';
import { loadModel, modelStreamId } from '#application/models.js';
import { seenReadableVersion } from '#application/datasets.js';
import { Models } from '#calls/models.js';
import { distillationDecider, distillationOf, type Distillation } from '#domain/distillation/index.js';
import { InvalidError } from '#domain/errors.js';
import type { DatasetType } from '#domain/dataset/index.js';
import { modelDecider } from '#domain/model/index.js';
import { derivedId } from '#log/execute.js';
import { Catalog } from '#models/catalog/catalog.js';
import { distillationDocuments } from '#projections/distillations/queries.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { KeyGate } from '../../limits/key-gate.js';
import { CreateNamedModel } from '../../models/commands.js';
import { versionOf } from '../../datasets/version-of.js';
import { ModelResolver } from '../../models/model-resolver.js';
import { nameAtRequest } from '../name-at-request.js';
import { requireTeacher } from '../require-teacher.js';
import { requireProject } from '../../projects/require-project.js';
import { UseCases } from '../../use-cases.js';
import { DEFAULT_AUDIT_SHARE, DEFAULT_TARGET, type DistillationOrder } from '../order.js';

const VISIBLE_IN = [distillationDocuments.collection];

export class DistilModel extends CallerCommand<DistillationOrder, Distillation> {}

/** Asks for a small model of what a hosted one was asked; a process manager takes it through its stages. */
@CommandHandler(DistilModel)
export class DistilModelHandler implements ICommandHandler<DistilModel> {
  constructor(
    private readonly application: Application,
    private readonly models: Models,
    private readonly resolver: ModelResolver,
    private readonly catalog: Catalog,
    private readonly keys: KeyGate,
    private readonly useCases: UseCases,
  ) {}

  /** @throws NotFoundError, ConflictError, InvalidError; ForbiddenError the caller's key may not call the teacher */
  async execute({ caller, identity, input }: DistilModel): Promise<Distillation> {
    const {
      name,
      task,
      unmapped,
      heads,
      prompt_versions: versions,
      target_agreement: target,
      audit_share: share,
    } = input;
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const context = callerContext(caller, identity);
    const modelId = modelStreamId(workspaceId, name);
    const distillationId = derivedId(context.commandId, 'distillation');
    const known = await this.application.recall(distillationDecider, modelId, identity);
    if (known) return distillationOf(known, distillationId)!;
    const teacher = await this.teacherOf(caller, input.teacher);
    const { baseModel, generates } = await this.baseModelOf(caller, input.base_model ?? null);
    if (generates) refuseBound(input);
    const { model = null, project_id: projectId = null, since = null, until = null } = input.from ?? {};
    await requireProject(this.application, workspaceId, projectId);
    const label = await this.textsToLabel(caller, input, teacher);
    await this.requireName(caller, identity, name);
    const named = await loadModel(this.application, { workspaceId, name });
    const { state } = await this.application.execute(
      distillationDecider,
      modelId,
      {
        ...({ type: 'request-distillation', distillationId, modelId, workspaceId, name } as const),
        ...(generates && { taskType: 'decoder' as const }),
        ...{ teacher, baseModel, task: task ?? null, unmapped: unmapped ?? 'null', heads: heads ?? [] },
        promptVersions: versions ?? 'newest',
        ...(label && { label }),
        ...{ from: { model, projectId, since, until }, requestedBy: { kind, userId, teamId, keyId } },
        ...{ targetAgreement: target ?? DEFAULT_TARGET, auditShare: share ?? DEFAULT_AUDIT_SHARE },
        ...(await nameAtRequest(this.application, named)),
      },
      context,
      VISIBLE_IN,
    );
    return distillationOf(state, distillationId)!;
  }

  private teacherOf(caller: Caller, teacher: string): Promise<string> {
    const mend = 'name the one that is to be asked where the small one is not sure, and as `from.model` the one whose calls are learned'; // prettier-ignore
    return requireTeacher({ models: this.models, keys: this.keys }, caller, teacher, ['body', 'teacher'], mend);
  }

  /** @throws InvalidError its calls would not be among those that are learned; NotFoundError, ConflictError the dataset */
  private async textsToLabel(caller: Caller, { label, from }: DistillationOrder, teacher: string) {
    if (!label) return null;
    const { workspaceId } = caller;
    const elsewhere = from?.until ? 'until' : from?.model && from.model !== teacher ? 'model' : null;
    if (elsewhere !== null)
      throw refused(
        'label',
        `has ${teacher} asked now, and \`from.${elsewhere}\` leaves these calls out: send one of the two`,
      );
    const { name, version: reference } = label.dataset;
    const {
      versionId,
      versionNumber: version,
      datasetType,
    } = await seenReadableVersion(this.application, {
      ...{ workspaceId, name, version: versionOf(reference) },
    });
    if (!LABELLED_TYPES.includes(datasetType))
      throw refused(
        'label',
        `names a dataset of the type ${datasetType}: it takes one of ${LABELLED_TYPES.join(', ')}`,
      );
    const budget = BigInt(Math.round(label.budget * 1e12)).toString();
    return { dataset: { name, version, versionId }, budget };
  }

  /** Without one: the encoder here that learns most from few rows. */
  private async baseModelOf(caller: Caller, asked: string | null) {
    if (asked !== null) {
      const { baseModel, generates } = await this.resolver.resolveTrainable(caller, asked, 'lora');
      return { baseModel: baseModel.id, generates };
    }
    const encoders = this.catalog.entries.filter(
      ({ task_type: type, supports_training: trains, provider }) => type === 'encoder' && trains && provider === null,
    );
    const best = encoders.find(({ id }) => id === BEST_ENCODER) ?? encoders[0];
    if (!best) throw refused('base_model', 'is required: no encoder here can be trained');
    return { baseModel: best.id, generates: false };
  }

  private async requireName(caller: Caller, identity: DistilModel['identity'], name: string): Promise<void> {
    const { status } = await this.application.load(modelDecider, modelStreamId(caller.workspaceId, name));
    if (status === 'active') return;
    const commandId = derivedId(identity.commandId, 'name');
    await this.useCases.execute(new CreateNamedModel(caller, { ...identity, commandId }, { name }));
  }
}

/** @throws InvalidError what is asked for is only of answers that are mapped */
function refuseBound(order: DistillationOrder): void {
  for (const field of ['target_agreement', 'audit_share', 'heads', 'unmapped'] as const)
    if ((order[field] ?? null) !== null)
      throw refused(
        field,
        `is of encoders: ${order.base_model} learns the answers as they are, and no bound is shown for it`,
      );
}

/** Their rows have texts. */
const LABELLED_TYPES: readonly DatasetType[] = ['ner', 'classification'];

/** Of those that come with Anneal: it needs a pack, and is not in the catalog without one. */
const BEST_ENCODER = 'anneal/encoder-small-v1';

const refused = (field: string, message: string): InvalidError =>
  new InvalidError({ path: ['body', field], message, type: 'not_allowed' });
