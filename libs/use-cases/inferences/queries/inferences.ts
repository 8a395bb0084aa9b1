import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { may } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { isRight, rightOutput } from '#domain/feedback/index.js';
import type { PageRequest } from '#log/projector/documents.js';
import type { InferenceDocument } from '#projections/inferences/projection.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { requireSearchable } from '../filters.js';
import { agreementOf, type JudgedCall } from '../agreement.js';
import { History, isComplete, type CallsRequest } from '../history.js';
import { humanFields, verdictRecord, type CallRecord, type ListedRecord } from '../record.js';
import { CallContents } from '../../calls/call-contents.js';
import { RecordReader, type StreamedRecord, type WithheldRecord } from '../record-reader.js';

const LONG_PAGE = 100;

interface InferencePage extends PageRequest {
  readonly inferences: readonly (ListedRecord | WithheldRecord)[];
  readonly total: number;
  /** The `cursor` of the next page; null on the last one. */
  readonly next_cursor: string | null;
}

export class ListInferences extends CallerQuery<CallsRequest, InferencePage> {}

@QueryHandler(ListInferences)
export class ListInferencesHandler implements IQueryHandler<ListInferences> {
  constructor(
    private readonly history: History,
    private readonly reader: RecordReader,
  ) {}

  async execute({ caller, input: query }: ListInferences): Promise<InferencePage> {
    requireSearchable(caller, query);
    const isShown = may(caller, 'content');
    const { documents, total, hasMore } = await this.history.page(caller, query);
    // A page of megabytes is read in one turn of the event loop, and rendered in another.
    if (documents.length > LONG_PAGE) await nextTurn();
    const { limit, offset } = query;
    const nextCursor = hasMore ? documents.at(-1)!.id : null;
    return {
      inferences: await (isShown ? this.reader.list(documents) : this.reader.withheld(documents)),
      total,
      limit,
      offset,
      next_cursor: nextCursor,
    };
  }
}

/** One call as the caller may see it: a large one as a stream. */
export class GetInference extends CallerQuery<string, CallRecord | WithheldRecord | StreamedRecord> {}

@QueryHandler(GetInference)
export class GetInferenceHandler implements IQueryHandler<GetInference> {
  constructor(
    private readonly history: History,
    private readonly reader: RecordReader,
  ) {}

  async execute({ caller, input: id }: GetInference) {
    const document = await this.history.recent(caller, id, isComplete);
    return may(caller, 'content') ? this.reader.open(document) : (await this.reader.withheld([document]))[0]!;
  }
}

/** One call in memory with all of its content. */
export class GetWholeInference extends CallerQuery<string, CallRecord> {}

@QueryHandler(GetWholeInference)
export class GetWholeInferenceHandler implements IQueryHandler<GetWholeInference> {
  constructor(
    private readonly history: History,
    private readonly reader: RecordReader,
  ) {}

  async execute({ caller, input: id }: GetWholeInference): Promise<CallRecord> {
    return this.reader.whole(await this.history.recent(caller, id, isComplete));
  }
}

interface FeedbackOnCall extends ReturnType<typeof humanFields> {
  readonly inference_id: string;
  readonly verdicts: readonly ReturnType<typeof verdictRecord>[];
}

export class GetFeedback extends CallerQuery<string, FeedbackOnCall> {}

@QueryHandler(GetFeedback)
export class GetFeedbackHandler implements IQueryHandler<GetFeedback> {
  constructor(
    private readonly history: History,
    private readonly contents: CallContents,
  ) {}

  async execute({ caller, input: id }: GetFeedback): Promise<FeedbackOnCall> {
    const verdicts = await this.contents.verdicts(await this.history.recent(caller, id));
    const latest = verdicts.at(-1);
    if (!latest) throw new NotFoundError('feedback on inference', id);
    return { inference_id: id, ...humanFields(latest), verdicts: verdicts.map(verdictRecord) };
  }
}

interface Agreement extends ReturnType<typeof agreementOf> {
  readonly calls_left_out: number;
}

export class GetAgreement extends CallerQuery<{ readonly model_id?: string }, Agreement> {}

/** Calls compared in one answer. */
const MAX_COMPARED = 1000;

@QueryHandler(GetAgreement)
export class GetAgreementHandler implements IQueryHandler<GetAgreement> {
  constructor(
    private readonly history: History,
    private readonly reader: RecordReader,
    private readonly contents: CallContents,
  ) {}

  async execute({ caller, input: { model_id: modelId } }: GetAgreement): Promise<Agreement> {
    const { documents, leftOut } = await this.history.shared(caller, modelId, MAX_COMPARED);
    const calls: JudgedCall[] = [];
    for (const document of documents) calls.push(await this.judged(document));
    return { ...agreementOf(calls), calls_left_out: leftOut };
  }

  private async judged(document: InferenceDocument): Promise<JudgedCall> {
    const verdicts = await this.contents.verdicts(document);
    const isAsAnswered = verdicts.some(({ verdict }) => isRight(verdict));
    const output = isAsAnswered ? (await this.reader.whole(document)).output : null;
    return {
      id: document.id,
      verdicts: verdicts.map(({ reviewer, verdict, correctedOutput }) => ({
        ...{ reviewer, verdict },
        right: rightOutput(verdict, output, correctedOutput),
      })),
    };
  }
}
