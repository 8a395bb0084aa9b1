import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { seenReadableVersion } from '#application/datasets.js';
import { Surveys } from '#distillation/survey/index.js';
import { withText, type TaskPrompt } from '#distillation/prompt.js';
import { batchDecider, type BatchEndpoint } from '#domain/batch/index.js';
import type { DistillationRequest, LabellingBegun } from '#domain/distillation/index.js';
import { ConflictError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { derivedId } from '#log/execute.js';
import { storedRows } from '#rows/formats/index.js';
import { normalised } from '#rows/report/normalised.js';
import { CreateBatch } from '../../batches/commands.js';
import { CallerCommand } from '../../commands-and-queries.js';
import { requireWholeRows } from '../../datasets/whole-rows.js';
import { UploadFile, type UploadPart } from '../../files/commands.js';
import { FILE_ID } from '../../files/ids.js';
import { WorkQueues } from '../../limits/work-queues.js';
import { UseCases } from '../../use-cases.js';
import { MAX_RECORDED_CALLS, RecordedCalls } from '../recorded-calls.js';
import { rowsOrderOf } from './collect.js';

export class LabelTaskTexts extends CallerCommand<DistillationRequest, LabellingBegun> {}

/** Asks the teacher about texts of a dataset, each in the words of the task's newest call, by a batch with a budget. */
@CommandHandler(LabelTaskTexts)
export class LabelTaskTextsHandler implements ICommandHandler<LabelTaskTexts> {
  constructor(
    private readonly application: Application,
    private readonly recorded: RecordedCalls,
    private readonly surveys: Surveys,
    private readonly queues: WorkQueues,
    private readonly useCases: UseCases,
  ) {}

  /** @throws NotFoundError the dataset is gone; ConflictError no prompt is found in the calls */
  async execute({ caller, identity, input }: LabelTaskTexts): Promise<LabellingBegun> {
    const { name, teacher, from, distillationId } = input;
    const { workspaceId } = caller;
    const { dataset, budget } = input.label!;
    const step = (what: string) => ({ ...identity, commandId: derivedId(identity.commandId, what) });
    const begun = await this.begun(derivedId(step('batch').commandId, 'batch'));
    if (begun) return begun;
    const order = rowsOrderOf(input);
    const calls = this.recorded.asked(workspaceId, { ...from, model: order.teacher, judgedOf: name });
    const found = await this.queues.enter('dataset-processing', caller, () =>
      this.surveys.prompt(workspaceId, () => calls.each, order, new AbortController().signal),
    );
    if (found.kind === 'refused') throw new ConflictError(found.reason);
    const endpoint = endpointOf(found.request);
    const body = askedAgain(found.request, teacher, from.projectId);
    const { lines, ...counts } = await this.lines(workspaceId, dataset, { ...found, request: body }, endpoint);
    if (lines.length === 0) return { ...counts, batchId: null };
    const file = await this.useCases.execute(new UploadFile(caller, step('file'), parts(name, lines)));
    const metadata = { distillation: distillationId, texts: `${counts.texts}`, copies: `${counts.copies}` };
    const asked = { fileId: FILE_ID.write(file.versionId), endpoint, metadata, budget };
    const { id: batchId } = await this.useCases.execute(new CreateBatch(caller, step('batch'), asked));
    return { ...counts, batchId };
  }

  /** The batch, if a try before this one has made it: its calls are no copies of what is asked now. */
  private async begun(batchId: string): Promise<LabellingBegun | null> {
    const batch = await this.application.load(batchDecider, batchId);
    if (batch.status === 'none') return null;
    const { texts, copies } = batch.request.metadata!;
    return { batchId, texts: Number(texts), copies: Number(copies) };
  }

  /** A request for each text that no call has yet, as many as are learned of. */
  private async lines(
    workspaceId: string,
    dataset: NonNullable<DistillationRequest['label']>['dataset'],
    prompt: TaskPrompt,
    url: BatchEndpoint,
  ): Promise<Omit<LabellingBegun, 'batchId'> & { readonly lines: readonly string[] }> {
    const { objectStore } = this.application.ports;
    const version = await seenReadableVersion(this.application, { workspaceId, ...dataset });
    await requireWholeRows(objectStore, version);
    const known = new Set(prompt.known);
    const lines: string[] = [];
    let [texts, copies] = [0, 0];
    for await (const { text } of storedRows(objectStore, version.object.key)) {
      texts += 1;
      if (typeof text !== 'string' || lines.length === MAX_RECORDED_CALLS) continue;
      const folded = normalised(text);
      const body = known.has(folded) ? null : withText(prompt, text);
      if (known.has(folded)) copies += 1;
      known.add(folded);
      if (body !== null) lines.push(JSON.stringify({ custom_id: `row-${texts}`, method: 'POST', url, body }));
    }
    return { texts, copies, lines };
  }
}

async function* parts(name: string, lines: readonly string[]): AsyncGenerator<UploadPart> {
  yield { purpose: 'batch' };
  yield { file: { fileName: `${name}-texts.jsonl`, content: content() } };
  async function* content(): AsyncGenerator<Uint8Array> {
    for (const line of lines) yield Buffer.from(`${line}\n`);
  }
}

/** Where such a request goes. */
function endpointOf(request: JsonObject): BatchEndpoint {
  if ('input' in request) return '/v1/responses';
  if ('prompt' in request) return '/v1/completions';
  return '/v1/chat/completions';
}

/** Of a recorded request: what does not belong to another one. */
const OWN = ['stream', 'stream_options', 'background', 'store', 'metadata', 'project_id'];

function askedAgain(request: JsonObject, model: string, projectId: string | null): JsonObject {
  const kept = Object.entries(request).filter(([key]) => !OWN.includes(key));
  return { ...Object.fromEntries(kept), model, ...(projectId !== null && { project_id: projectId }) };
}
