import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { leastCount } from '#distillation/agreement/bound.js';
import { withoutCopies } from '#distillation/copies/copies.js';
import { proposeMapping } from '#distillation/mapping/propose.js';
import { toRow } from '#distillation/mapping/to-row.js';
import { studentText, type LearnedTask } from '#distillation/task.js';
import { findTasks, type Task } from '#distillation/tasks/find-tasks.js';
import type { CollectedCalls, DistillationRequest, StoredTask } from '#domain/distillation/index.js';
import { ConflictError } from '#domain/errors.js';
import type { DatasetChoice } from '#domain/improvement/index.js';
import type { JsonObject } from '#domain/json.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { initializeVersion, sealVersion } from '../../datasets/new-versions.js';
import { requireNameToSaveIn } from '../../generation/name-to-save-in.js';
import { OWN_ROWS } from '#rows/formats/index.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { RecordedCalls, type ReadCalls } from '../recorded-calls.js';

export interface CollectedRows {
  readonly dataset: DatasetChoice;
  readonly task: StoredTask;
  readonly calls: CollectedCalls;
}

export class CollectTeacherRows extends CallerCommand<DistillationRequest, CollectedRows> {}

type TaskRows = LearnedTask & {
  readonly id: string;
  readonly rows: readonly JsonObject[];
  readonly calls: CollectedCalls;
};

/** Makes a dataset version of the recorded answers of a teacher to one task. */
@CommandHandler(CollectTeacherRows)
export class CollectTeacherRowsHandler implements ICommandHandler<CollectTeacherRows> {
  constructor(
    private readonly application: Application,
    private readonly recorded: RecordedCalls,
    private readonly queues: WorkQueues,
  ) {}

  /** @throws ConflictError nothing can be learned from the calls, with what is missing */
  async execute({ caller, identity, input }: CollectTeacherRows): Promise<CollectedRows> {
    const { workspaceId, distillationId, name, teacher: model, from } = input;
    const context = callerContext(caller, identity);
    const datasetName = `${name}-distilled`;
    await requireNameToSaveIn(this.application, workspaceId, datasetName);
    const { id, template, mapping, rows, calls } = await this.queues.enter('dataset-processing', caller, async () =>
      rowsOf(await this.recorded.read(workspaceId, { model, ...from }), input),
    );
    const { objectStore } = this.application.ports;
    const prefix = `datasets/${workspaceId}/feedback/${distillationId}`;
    const source = await objectStore.put(
      `${prefix}/rows.jsonl`,
      Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
    );
    const object = await objectStore.put(
      `${prefix}/collected.json`,
      Buffer.from(JSON.stringify({ template, mapping })),
    );
    const version = await initializeVersion(
      this.application,
      {
        ...{ workspaceId, name: datasetName, projectId: from.projectId },
        ...{ datasetType: datasetTypeOf(rows), generationType: 'distilled', layout: OWN_ROWS },
      },
      context,
    );
    await sealVersion(this.application, version, source, context, object);
    const { versionNumber, versionId } = version;
    return { dataset: { name: datasetName, version: versionNumber, versionId }, task: { id, object }, calls };
  }
}

function rowsOf({ calls, leftOut }: ReadCalls, request: DistillationRequest): TaskRows {
  const task = taskOf(findTasks(calls).tasks, request.task, request.teacher);
  const members = task.members.map(({ id, at, answer, ...cut }) => ({ id, at, answer, text: studentText(cut) }));
  const proposal = proposeMapping(members);
  if (proposal.kind === 'refused') throw new ConflictError(`task ${task.id} cannot be learned: ${proposal.reason}`);
  const { mapping, unmapped } = proposal;
  if (unmapped.length > 0 && request.unmapped === 'refuse')
    throw new ConflictError(
      `these fields of the answers cannot be learned: ${unmapped.map(({ path, reason }) => `${path} (${reason})`).join('; ')}`,
    );
  const answered = members.flatMap((member) => {
    const row = toRow(mapping, member);
    return row === null
      ? []
      : [{ ...member, row: { ...row, source_inference_id: member.id }, answer: JSON.stringify(row) }];
  });
  const { kept, copies, nearCopies, agreement } = withoutCopies(answered);
  const needed = leastCount(0, request.targetAgreement);
  if (kept.length < needed)
    throw new ConflictError(
      `${kept.length} calls to learn from, without copies: an agreement of ${request.targetAgreement} can be shown on ${needed} at the least, ` +
        `${needed - kept.length} more than there are`,
    );
  return {
    ...{ id: task.id, template: task.template, mapping, rows: kept.map(({ row }) => row) },
    calls: {
      ...{ read: calls.length, leftOut: { ...leftOut, not_kept: leftOut.not_kept ?? 0 } },
      ...{ ofTask: task.members.length, notMapped: task.members.length - answered.length },
      ...{ copies, nearCopies, rows: kept.length, ownAgreement: agreement },
    },
  };
}

/** @throws ConflictError it is not there, cannot be cut with certainty, or has to be chosen */
function taskOf(tasks: readonly Task[], wanted: string | null, teacher: string): Task {
  if (wanted !== null) {
    const found = tasks.find(({ id }) => id === wanted);
    if (!found)
      throw new ConflictError(
        `the calls of ${teacher} have no task ${wanted}; GET /distillable lists those that there are`,
      );
    return found;
  }
  const known = tasks.filter(({ cut, form }) => cut === 'certain' && form !== 'text');
  if (known.length === 1) return known[0]!;
  const listed = known.slice(0, 10).map(({ id, form, members }) => `${id} (${form}, ${members.length} calls)`);
  throw new ConflictError(
    known.length === 0
      ? `the calls of ${teacher} have no task that can be learned; GET /distillable says why`
      : `the calls of ${teacher} have ${known.length} tasks, name one as \`task\`: ${listed.join(', ')}`,
  );
}

const datasetTypeOf = (rows: readonly JsonObject[]) =>
  rows.some((row) => 'entities' in row || 'json_structures' in row) ? 'ner' : 'classification';
