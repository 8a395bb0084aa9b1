import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { Models } from '#calls/models.js';
import type { RowsOrder } from '#distillation/rows.js';
import type { LearnedTask } from '#distillation/task.js';
import { Surveys, type VectorsQuestion } from '#distillation/survey/index.js';
import type { CollectedCalls, DistillationRequest, StoredTask } from '#domain/distillation/index.js';
import { ConflictError } from '#domain/errors.js';
import type { DatasetChoice } from '#domain/improvement/index.js';
import type { JsonObject } from '#domain/json.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { initializeVersion, sealVersion } from '../../datasets/new-versions.js';
import { requireNameToSaveIn } from '../../generation/name-to-save-in.js';
import { OWN_ROWS } from '#rows/formats/index.js';
import { ModelResolver } from '../../models/model-resolver.js';
import { KeyGate } from '../../limits/key-gate.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { RecordedCalls } from '../recorded-calls.js';
import { requireTeacher } from '../require-teacher.js';
import { TextEmbedder } from '../text-embedder.js';

export interface CollectedRows {
  readonly dataset: DatasetChoice;
  readonly task: StoredTask;
  readonly calls: CollectedCalls;
}

export class CollectTeacherRows extends CallerCommand<DistillationRequest, CollectedRows> {}

/** Makes a dataset version of the recorded answers of a teacher to one task. */
@CommandHandler(CollectTeacherRows)
export class CollectTeacherRowsHandler implements ICommandHandler<CollectTeacherRows> {
  constructor(
    private readonly application: Application,
    private readonly recorded: RecordedCalls,
    private readonly surveys: Surveys,
    private readonly queues: WorkQueues,
    private readonly vectors: TextEmbedder,
    private readonly resolver: ModelResolver,
    private readonly models: Models,
    private readonly keys: KeyGate,
  ) {}

  /** @throws NotFoundError, InvalidError the teacher or the base model is gone; ForbiddenError the caller's key may no longer call the teacher; ConflictError nothing can be learned from the calls, with what is missing */
  async execute({ caller, identity, input }: CollectTeacherRows): Promise<CollectedRows> {
    const { workspaceId, distillationId, name, teacher, from } = input;
    const order = rowsOrderOf(input);
    const context = callerContext(caller, identity);
    const datasetName = `${name}-distilled`;
    await requireNameToSaveIn(this.application, workspaceId, datasetName);
    await requireTeacher({ models: this.models, keys: this.keys }, caller, teacher, ['body', 'teacher']);
    const taught = await this.queues.enter('dataset-processing', caller, async () => {
      const calls = this.recorded.asked(workspaceId, { ...from, model: order.teacher, judgedOf: name });
      const vectors = (asked: VectorsQuestion) => this.vectors.of(workspaceId, asked);
      const found = await this.surveys.rows(
        workspaceId,
        () => calls.each,
        order,
        vectors,
        new AbortController().signal,
      );
      if (found.kind === 'refused') throw new ConflictError(found.reason);
      return { ...found, leftOut: calls.leftOut!.leftOut };
    });
    const { id, template, rows, counts, leftOut } = taught;
    const calls = { ...counts, leftOut: { ...leftOut, not_kept: leftOut.not_kept ?? 0 } };
    const { engine } = await this.resolver.resolveTrainable(caller, input.baseModel, 'lora');
    const learned = taught.kind === 'rows' ? taught : null;
    const task: Partial<LearnedTask> = {
      ...{ template, ...(learned && { mapping: learned.mapping }) },
      ...(learned && engine.readsLabelDescriptions && { labelDescriptions: learned.labelDescriptions }),
    };
    const { objectStore } = this.application.ports;
    const prefix = `datasets/${workspaceId}/feedback/${distillationId}`;
    const source = await objectStore.put(
      `${prefix}/rows.jsonl`,
      Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
    );
    const object = await objectStore.put(`${prefix}/collected.json`, Buffer.from(JSON.stringify(task)));
    const version = await initializeVersion(
      this.application,
      {
        ...{ workspaceId, name: datasetName, projectId: from.projectId },
        ...{ datasetType: learned ? datasetTypeOf(rows) : 'decoder', generationType: 'distilled', layout: OWN_ROWS },
      },
      context,
    );
    await sealVersion(this.application, version, source, context, object);
    const { versionNumber, versionId } = version;
    return { dataset: { name: datasetName, version: versionNumber, versionId }, task: { id, object }, calls };
  }
}

/** What is to be learned of the calls. */
export const rowsOrderOf = (request: DistillationRequest): RowsOrder => {
  const { teacher, from, task, taskType, unmapped, targetAgreement, heads = [], trigger = 'request' } = request;
  const again = trigger !== 'request';
  const promptVersions = request.promptVersions ?? 'newest';
  return { teacher: from.model ?? teacher, task, taskType, unmapped, targetAgreement, heads, promptVersions, again };
};

const datasetTypeOf = (rows: readonly JsonObject[]) =>
  rows.some((row) => 'entities' in row || 'json_structures' in row) ? 'ner' : 'classification';
