import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { attachment } from '#ports/object-store/attachment.js';
import { MAX_PAGE_BYTES } from '#use-cases/calls/answer-budget.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import { CurrentCaller, Public, ReadingNeeds } from '../../edge/auth/index.js';
import type { FastifyReply } from '../../edge/http.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { ExportAudit } from '#use-cases/audit/queries/export.js';
import { ExportAuditQuery } from './export-dto.js';
import { ReadAuditKeys, ReadCheckpoint, ReadModelKeys } from '#use-cases/audit/queries/keys.js';
import { ListReads } from '#use-cases/audit/queries/reads.js';
import { ListReadsQuery, ReadPage } from './reads-dto.js';
import { UseCases } from '#use-cases/use-cases.js';

const MEDIA_TYPES: Readonly<Record<NonNullable<ExportAuditQuery['format']>, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};
const TEXT = 'text/plain; charset=utf-8';

/** Checkpoint and keys are hashes and public keys only: whoever keeps them can later prove the log's state. */
@ApiTags('Event log')
@ReadingNeeds('audit')
@Controller('audit')
export class AuditController {
  constructor(private readonly useCases: UseCases) {}

  @Get('checkpoint')
  @Public()
  @Header('content-type', TEXT)
  @ApiProduces('text/plain')
  @ApiOperation({ summary: "The signed head of the log's audit tree (C2SP tlog-checkpoint)" })
  @ApiOkResponse({ type: String })
  checkpoint(): Promise<string> {
    return this.useCases.execute(new ReadCheckpoint());
  }

  @Get('key')
  @Public()
  @Header('content-type', TEXT)
  @ApiProduces('text/plain')
  @ApiOperation({ summary: 'The public keys that have signed checkpoints, one per line, newest last' })
  @ApiOkResponse({ type: String })
  keys(): Promise<string> {
    return this.useCases.execute(new ReadAuditKeys());
  }

  @Get('model-keys')
  @Public()
  @Header('content-type', TEXT)
  @ApiProduces('text/plain')
  @ApiOperation({
    summary: 'The public keys that have signed model archives (OpenSSF model-signing), as PEM, newest first',
  })
  @ApiOkResponse({ type: String })
  modelKeys(): Promise<string> {
    return this.useCases.execute(new ReadModelKeys());
  }

  @Get('reads')
  @ApiOperation({
    summary: 'Lists who read what: call records, dataset rows, files, exports and events; newest first',
  })
  @ApiOkResponse({ type: ReadPage })
  reads(@CurrentCaller() caller: Caller, @KnownQuery() query: ListReadsQuery): Promise<ReadPage> {
    return this.useCases.execute(new ListReads(caller, query));
  }

  @Get('export')
  @ReadsContent('events/{stream}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({
    summary: "Exports the workspace's events with proofs that they are in the log, as JSON lines or Parquet",
  })
  @ApiOkResponse({ content: { 'application/x-ndjson': {}, 'application/vnd.apache.parquet': {} } })
  async export(
    @CurrentCaller() caller: Caller,
    @KnownQuery() query: ExportAuditQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const gone = new AbortController();
    // The answer closes, not the connection, which may serve many.
    reply.raw.once('close', () => gone.abort());
    const { format = 'jsonl' } = query;
    const content = await this.useCases.execute(new ExportAudit(caller, query, gone.signal));
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    await reply
      .header('content-type', MEDIA_TYPES[format])
      .header('content-disposition', attachment(`audit-${time}.${format}`))
      .send(content);
  }
}
