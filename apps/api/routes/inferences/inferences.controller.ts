import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Readable } from 'node:stream';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { InvalidError } from '#domain/errors.js';
import { attachment } from '#ports/object-store/attachment.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import { BodyLimit, CORRECTION } from '../../edge/body/body-limits.js';
import { CurrentCaller, Identity, Needs, ReadingNeeds } from '../../edge/auth/index.js';
import { etagOf } from '../../edge/conditional.js';
import { untilClientGone } from '../../edge/client-gone.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { StreamBody } from '../../edge/route-config.js';
import { announcedLength, readingBody } from '../../edge/body/streamed-body.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { GiveFeedback } from '#use-cases/inferences/commands/give-feedback.js';
import {
  Agreement,
  AgreementQuery,
  FeedbackAccepted,
  FeedbackBody,
  FeedbackRecord,
  InferencePage,
  InferenceRecord,
  ListInferencesQuery,
} from './dto.js';
import { EraseContent, EraseSubject } from '#use-cases/inferences/commands/erase.js';
import { EraseOneQuery, EraseQuery, ErasedCalls, ErasureCertificate } from './erasure-dto.js';
import { EXPORT_PAGE, ExportInferences } from '#use-cases/inferences/queries/export.js';
import { ExportInferencesQuery } from './export-dto.js';
import { ImportedLine, ImportInferencesQuery, ImportReport } from './import-dto.js';
import { ImportInferences } from '#use-cases/inferences/commands/import.js';
import { importedLines } from './import-lines.js';
import { OWN_FORMAT } from '#use-cases/inferences/formats/index.js';
import { GetAgreement, GetFeedback, GetInference, ListInferences } from '#use-cases/inferences/queries/inferences.js';
import { LISTED_RECORD_BYTES } from '#use-cases/inferences/record.js';
import { GetInferenceStats } from '#use-cases/inferences/queries/stats.js';
import { InferenceStats, InferenceStatsQuery } from './stats-dto.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

/** Size of two thousand groups, without the confused labels. */
const STATS_BYTES = 1024 * 1024;
/** Bytes of a record in memory: all of a small one, or the pieces of a large one that are on their way. */
const WHOLE_RECORD_BYTES = 256 * 1024;

const MEDIA_TYPES: Readonly<Record<NonNullable<ExportInferencesQuery['format']>, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** The query has not been validated yet. */
const listed = ({ limit }: ListInferencesQuery): number => Math.min(500, Math.max(1, Number(limit) || 100));

@ApiTags('Inference history')
@ReadingNeeds('history')
@Controller('inferences')
export class InferencesController {
  constructor(private readonly useCases: UseCases) {}

  @Get()
  @Needs('history')
  @ReadsContent('calls')
  @AnswerBytes(({ query }) => LISTED_RECORD_BYTES * listed(query as ListInferencesQuery))
  @ApiOperation({ summary: 'Lists recorded calls, newest first' })
  @ApiOkResponse({ type: InferencePage })
  list(@CurrentCaller() caller: Caller, @KnownQuery() query: ListInferencesQuery): Promise<InferencePage> {
    return this.useCases.execute(new ListInferences(caller, query));
  }

  @Get('stats')
  @AnswerBytes(() => STATS_BYTES)
  @ApiOperation({ summary: 'Counts, accuracy, confused labels, latency and cost of recorded calls, by group' })
  @ApiOkResponse({ type: InferenceStats })
  stats(@CurrentCaller() caller: Caller, @KnownQuery() query: InferenceStatsQuery): Promise<InferenceStats> {
    return this.useCases.execute(new GetInferenceStats(caller, query));
  }

  @Get('export')
  @ReadsContent('calls')
  @AnswerBytes(() => LISTED_RECORD_BYTES * EXPORT_PAGE)
  @ApiOperation({ summary: 'Exports recorded calls as a file, newest first' })
  @ApiOkResponse({
    content: { 'application/x-ndjson': {}, 'text/csv': {}, 'application/vnd.apache.parquet': {} },
  })
  async export(
    @CurrentCaller() caller: Caller,
    @KnownQuery() query: ExportInferencesQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { format = 'jsonl' } = query;
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const content = await untilClientGone(request, (gone) =>
      this.useCases.execute(new ExportInferences(caller, query, gone)),
    );
    await reply
      .header('content-type', MEDIA_TYPES[format])
      .header('content-disposition', attachment(`inferences-${time}.${format}`))
      .send(content);
  }

  @Post('import')
  @StreamBody()
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Imports calls of another system, as JSON lines with one call each' })
  @ApiConsumes('application/x-ndjson')
  @ApiBody({ type: ImportedLine, description: 'The schema of each line.' })
  @ApiOkResponse({ type: ImportReport })
  import(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @KnownQuery() { format = OWN_FORMAT }: ImportInferencesQuery,
    @Req() request: FastifyRequest,
  ): Promise<ImportReport> {
    return readingBody(request, 'send the lines as they are', (content) => {
      const lines = importedLines(content, announcedLength(request), format);
      return untilClientGone(request, () => this.useCases.execute(new ImportInferences(caller, identity, lines)));
    });
  }

  @Get('agreement')
  @Needs('content')
  @AnswerBytes(() => WHOLE_RECORD_BYTES)
  @ApiOperation({ summary: 'Compares verdicts and corrections between each two reviewers' })
  @ApiOkResponse({ type: Agreement })
  agreement(@CurrentCaller() caller: Caller, @KnownQuery() query: AgreementQuery): Promise<Agreement> {
    return this.useCases.execute(new GetAgreement(caller, query));
  }

  @Get(':id')
  @Needs('history')
  @ReadsContent('call/{id}')
  @AnswerBytes(() => WHOLE_RECORD_BYTES)
  @ApiOperation({ summary: 'One recorded call' })
  @ApiOkResponse({ type: InferenceRecord })
  async get(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<InferenceRecord | Readable> {
    const record = await this.useCases.execute(new GetInference(caller, id));
    if (!('text' in record)) return record;
    reply.header('content-type', 'application/json; charset=utf-8').header('etag', etagOf(caller, record.state));
    return record.text;
  }

  @Get(':id/feedback')
  @ReadsContent('call/{id}')
  @AnswerBytes(() => WHOLE_RECORD_BYTES)
  @ApiOperation({ summary: 'The feedback on a call; 404 if there is none' })
  @ApiOkResponse({ type: FeedbackRecord })
  getFeedback(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<FeedbackRecord> {
    return this.useCases.execute(new GetFeedback(caller, id));
  }

  @Post(':id/feedback')
  @BodyLimit(CORRECTION)
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Records whether a call was right, and its corrected output' })
  @ApiOkResponse({ type: FeedbackAccepted })
  giveFeedback(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
    @KnownBody() body: FeedbackBody,
  ): Promise<FeedbackAccepted> {
    return this.useCases.execute(new GiveFeedback(caller, identity, { inferenceId: id, judgement: body }));
  }

  @Delete(':id')
  @Reasoned()
  @ApiOperation({ summary: 'Erases the content of a call by destroying its keys; the record of its cost stays' })
  @MayNeedTwo()
  @ApiOkResponse({ type: ErasureCertificate })
  erase(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
    @KnownQuery() { cascade = false }: EraseOneQuery,
  ): Promise<ErasureCertificate> {
    return this.useCases.execute(new EraseContent(caller, identity, { id, cascade }));
  }

  @Delete()
  @Reasoned()
  @ApiOperation({ summary: "Erases the content of a data subject's calls, up to 500 in a request" })
  @MayNeedTwo()
  @ApiOkResponse({ type: ErasedCalls })
  async eraseSubject(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @KnownQuery() { subject, cascade = false }: EraseQuery,
  ): Promise<ErasedCalls> {
    if (!subject)
      throw new InvalidError({
        path: ['query', 'subject'],
        message: 'is required to erase the calls of a person; DELETE /inferences/:id erases one call',
        type: 'missing',
      });
    return this.useCases.execute(new EraseSubject(caller, identity, { subject, cascade }));
  }
}
