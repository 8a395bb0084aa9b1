import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { datasetStreamId, loadVersion, removedForGood } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';
import { initializedBy, initializeVersion, sealVersion } from '../../datasets/new-versions.js';
import { datasetDecider } from '#domain/dataset/index.js';
import { UnavailableError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { Catalog } from '#models/catalog/catalog.js';
import { ObjectNotFoundError } from '#ports/object-store/port.js';
import { allChecks } from '../../all-checks.js';
import { Encoders } from '#calls/backends/runner/encoders.js';
import { encodeResult } from '#calls/encoder-result.js';
import { namingFields } from '#calls/field-names.js';
import type { EncoderRequest } from '#calls/encoder-request.js';
import { requireEncoder } from '#calls/fit.js';
import { Models } from '#calls/models.js';
import { requireProject } from '../../projects/require-project.js';
import type { RateLimitName } from '../../limits/limit-table.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { classRow, entityRow } from '../labelled-rows.js';
import { requireNameToSaveIn } from '../name-to-save-in.js';
import type { LabellingOrder } from '../order.js';
import { savedIn } from '../rows-request.js';

const TASK = 'classification';

interface LabelledRows {
  readonly success: true;
  readonly count: number;
  readonly data: readonly JsonObject[];
  /** null: the rows are only returned. */
  readonly dataset_name: string | null;
  /** Absent: the rows are only returned. */
  readonly version_number?: string;
  /** The model that ran. */
  readonly model_used: string;
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
}

export class LabelExisting extends CallerCommand<LabellingOrder, LabelledRows> {
  static override readonly rateLimit: RateLimitName = 'generate';
}

/** The answer before a version is known, as it is stored. */
type Labelled = Omit<LabelledRows, 'version_number'>;

/**
 * Labels texts with an encoder, in one call that is recorded and billed like one of `/inference`, and stores the rows
 * as a version if requested. The answer to a saved request is kept beside its rows, so that a repeat gets the same
 * answer.
 */
@CommandHandler(LabelExisting)
export class LabelExistingHandler implements ICommandHandler<LabelExisting> {
  constructor(
    private readonly application: Application,
    private readonly catalog: Catalog,
    private readonly models: Models,
    private readonly encoders: Encoders,
  ) {}

  async execute(command: LabelExisting): Promise<LabelledRows> {
    const { caller, identity, input: body } = command;
    const { workspaceId } = caller;
    const name = savedIn(body);
    if (name === null) return this.label(command);
    const context = callerContext(caller, identity);
    const prefix = `generation/${workspaceId}/labelled/${derivedId(context.commandId, 'labelled')}`;
    const { objectStore } = this.application.ports;
    const known = await this.application.recall(datasetDecider, datasetStreamId(workspaceId, name), {
      ...identity,
      commandId: initializedBy(context),
    });
    const labelled = known ? await this.answered(`${prefix}/answer.json`) : await this.label(command);
    const answer = known
      ? undefined
      : await objectStore.put(`${prefix}/answer.json`, Buffer.from(JSON.stringify(labelled)));
    const of = {
      ...{ workspaceId, name, datasetType: body.task_type, generationType: 'labelled' as const },
      projectId: body.project_id ?? null,
    };
    const { versionId, versionNumber } = await initializeVersion(this.application, of, context);
    // Whoever stores rows again has another object than the one that the log names.
    if (
      (await loadVersion(this.application, datasetStreamId(workspaceId, name), versionId))?.status === 'initialized'
    ) {
      const lines = labelled.data.map((row) => `${JSON.stringify(row)}\n`).join('');
      const source = await objectStore.put(`${prefix}/rows.jsonl`, Buffer.from(lines));
      await sealVersion(this.application, { workspaceId, name, versionId }, source, context, answer);
    }
    return { ...labelled, version_number: String(versionNumber) };
  }

  /** @throws ConflictError when the version that the request had made was erased since */
  private async answered(key: string): Promise<Labelled> {
    const content = await this.application.ports.objectStore.get(key).catch((error: unknown) => {
      throw error instanceof ObjectNotFoundError ? removedForGood() : error;
    });
    return JSON.parse(Buffer.concat(await Array.fromAsync(content)).toString()) as Labelled;
  }

  private async label({ caller, identity, input: body }: LabelExisting): Promise<Labelled> {
    const start = performance.now();
    const modelId = body.model_id ?? this.defaultModel();
    const [model, projectId] = await allChecks(
      this.models.resolve(caller, modelId),
      requireProject(this.application, caller.workspaceId, body.project_id),
      requireNameToSaveIn(this.application, caller.workspaceId, savedIn(body)),
    );
    requireEncoder(model);
    const multiLabel = body.multi_label ?? false;
    const request = encoderRequest(modelId, body, projectId);
    const { schema } = request;
    const input = () => ({ text: body.inputs, schema: schemaOf(body) });
    const call = {
      caller,
      correlationId: identity.requestId,
      format: 'native',
      store: true,
      projectId,
      input,
      start,
    } as const;
    const { result, warnings } = await this.encoders
      .run(call, model, request, (text, found, applied) => encodeResult(text, found, applied, schema, request))
      .catch((error: unknown) => {
        throw namingFields({ texts: 'inputs' }, error);
      });
    const data = (result as readonly JsonObject[]).map((found, index) => {
      const text = body.inputs[index]!;
      return body.task_type === 'ner' ? entityRow(text, found) : classRow(text, found, TASK, multiLabel);
    });
    const notes = [
      ...warnings.map(({ code, message }) => ({ code, message })),
      ...((body.domain_description ?? null) === null
        ? []
        : [{ code: 'not_used', message: 'domain_description: encoders make no use of it' }]),
    ];
    return {
      success: true,
      count: data.length,
      data,
      dataset_name: savedIn(body),
      model_used: model.trainingJobId ?? model.entry.id,
      ...(notes.length > 0 && { warnings: notes }),
    };
  }

  private defaultModel(): string {
    const encoder = this.catalog.entries.find(
      ({ task_type, supports_inference, hidden }) => task_type === 'encoder' && supports_inference && !hidden,
    );
    if (!encoder) throw new UnavailableError('the catalog has no encoder; name a model_id');
    return encoder.id;
  }
}

/** Labels all texts in one call; `/inference` accepts as many. */
function encoderRequest(
  modelId: string,
  { task_type: taskType, inputs, labels, threshold, multi_label }: LabellingOrder,
  projectId: string | null,
): EncoderRequest {
  const schema = { entities: null, classifications: null, structures: null, relations: null };
  return {
    ...{
      kind: 'encoder',
      modelId,
      projectId,
      store: true,
      isWarmup: false,
      batch: true,
      texts: inputs,
    },
    ...{ includeConfidence: true, includeSpans: true, explain: false, threshold: threshold ?? null },
    schema:
      taskType === 'ner'
        ? { ...schema, entities: labels.map((name) => ({ name })) }
        : { ...schema, classifications: [{ task: TASK, labels, multiLabel: multi_label ?? false }] },
  };
}

const schemaOf = ({ task_type: taskType, labels, multi_label }: LabellingOrder): JsonObject =>
  taskType === 'ner'
    ? { entities: labels }
    : { classifications: [{ task: TASK, labels, multi_label: multi_label ?? false }] };
