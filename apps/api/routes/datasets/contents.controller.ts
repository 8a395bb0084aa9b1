import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import type { VersionRequest } from '#domain/dataset/index.js';
import { attachment } from '#ports/object-store/attachment.js';
import { MAX_PAGE_BYTES } from '#use-cases/calls/answer-budget.js';
import { AnswerBytes } from '../../edge/answer-budget.js';
import { CurrentCaller, ReadingNeeds } from '../../edge/auth/index.js';
import { untilClientGone } from '../../edge/client-gone.js';
import { etagOf } from '../../edge/conditional.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { sendFile } from '../../edge/send-file.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { DownloadLeftOut, DownloadRows } from '#use-cases/datasets/queries/download.js';
import { PreviewRows } from '#use-cases/datasets/queries/preview.js';
import { PreviewUpload } from '#use-cases/datasets/queries/preview-upload.js';
import { VERSION, versionPipe } from './reading/version-pipe.js';
import { CompareVersions } from '#use-cases/datasets/queries/diff.js';
import { DiffQuery, diffRecord, VersionDiffRecord } from './reports/diff-dto.js';
import { ReportOnVersion } from '#use-cases/datasets/queries/report.js';
import { ReportQuery, VersionReportRecord } from './reports/report-dto.js';
import { reportRecord } from './reports/report-record.js';
import { UploadPreview } from './uploads/dto.js';
import { uploadPreview } from './uploads/record.js';
import { DownloadQuery, Preview, PreviewQuery, ReadingPreviewBody } from './versions/dto.js';
import { UseCases } from '#use-cases/use-cases.js';

/** Names the fields that the format of a download cannot hold. */
const LEFT_OUT = 'x-anneal-left-out';

/** A text as a header may hold it. */
const inAscii = (text: string): string =>
  text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const PART = {
  status: 206,
  description: 'The byte range that the `Range` header requests; JSONL only',
  content: { 'application/x-ndjson': {} },
};
const BEYOND_END = {
  status: 416,
  description: 'The range begins beyond the end of the file; Content-Range gives its length',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** Rows of a version, a report on them, and how they differ from another version's. */
@ApiTags('Datasets')
@ReadingNeeds('history')
@Controller('felix/datasets')
export class DatasetContentsController {
  constructor(private readonly useCases: UseCases) {}

  @Get(':name/:version/preview')
  @ReadsContent('dataset/{name}/{version}')
  @AnswerBytes(() => 2 * MAX_PAGE_BYTES)
  @ApiOperation({ summary: 'Previews rows of a version; `latest` is the newest ready one' })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: Preview })
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownQuery() { limit, offset, ...query }: PreviewQuery,
    @Req() request: FastifyRequest,
  ): Promise<Preview> {
    const filter = {
      ...{ text: query.q, label: query.label, isDuplicate: query.duplicate },
      ...{ minCharacters: query.min_characters, maxCharacters: query.max_characters },
    };
    const { rows, numbers, found, total } = await untilClientGone(request, (signal) =>
      this.useCases.execute(new PreviewRows(caller, { name, version, limit, offset, filter, signal })),
    );
    return { rows, row_numbers: [...numbers], found_rows: found, total_rows: total };
  }

  @Post(':name/:version/preview')
  @ReadsContent('dataset/{name}/{version}')
  @HttpCode(200)
  @AnswerBytes(() => 6 * MAX_PAGE_BYTES)
  @ApiOperation({
    summary: 'Previews the first rows of an uploaded file that is not processed yet, as a version would have them',
    description: 'Nothing is stored: try fields until the rows are right, and give the same to `upload/process`.',
  })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: UploadPreview })
  async previewUpload(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownBody() body: ReadingPreviewBody,
    @Req() request: FastifyRequest,
  ): Promise<UploadPreview> {
    return untilClientGone(request, async (signal) =>
      uploadPreview(await this.useCases.execute(new PreviewUpload(caller, { ...body, name, version, signal }))),
    );
  }

  @Get(':name/:version/download')
  @ReadsContent('dataset/{name}/{version}')
  @ApiOperation({
    summary: 'All rows of a version as a file; `latest` is the newest ready one',
    description: 'The header `X-Anneal-Left-Out` lists what the format cannot represent.',
  })
  @ApiParam(VERSION)
  @ApiOkResponse({
    content: {
      ...{ 'application/x-ndjson': {}, 'text/csv': {}, 'application/vnd.apache.parquet': {} },
      ...{ 'application/json': { schema: { type: 'array', items: { type: 'object' } } }, 'text/plain': {} },
    },
  })
  @ApiResponse(PART)
  @ApiResponse(BEYOND_END)
  async download(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownQuery() { format }: DownloadQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const isHead = request.method === 'HEAD';
    const file = await untilClientGone(request, (signal) =>
      this.useCases.execute(new DownloadRows(caller, { name, version, format, isHead, signal })),
    );
    const { mediaType, fileName } = file;
    if ('stored' in file) {
      const { size, sha256, read } = file.stored;
      return sendFile(request, reply, { mediaType, fileName, size, etag: etagOf(caller, sha256), read });
    }
    reply
      .header('content-type', mediaType)
      .header('content-disposition', attachment(fileName))
      .header('accept-ranges', 'none');
    if (file.made.size !== null) reply.header('content-length', file.made.size);
    if (file.leftOut.length > 0) reply.header(LEFT_OUT, inAscii(file.leftOut.join('; ')));
    await reply.send(file.made.content);
  }

  @Get(':name/:version/left-out')
  @ReadsContent('dataset/{name}/{version}')
  @ApiOperation({
    summary:
      'Rows of the file that a version lacks, because they were not valid or had no label, as `{row, reason, data}`',
    description: 'The first 10,000, in at most 16 MiB: `left_out` of the version counts all. Empty if it lacks none.',
  })
  @ApiParam(VERSION)
  @ApiOkResponse({ content: { 'application/x-ndjson': {} } })
  @ApiResponse(PART)
  @ApiResponse(BEYOND_END)
  async leftOut(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { mediaType, fileName, stored } = await this.useCases.execute(new DownloadLeftOut(caller, { name, version }));
    const { size, sha256, read } = stored;
    return sendFile(request, reply, { mediaType, fileName, size, etag: etagOf(caller, sha256), read });
  }

  @Get(':name/:version/report')
  @ReadsContent('dataset/{name}/{version}')
  @ApiOperation({ summary: 'Reports the labels and text lengths of a version, and problems in its rows' })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: VersionReportRecord })
  async report(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownQuery() { held_out: heldOut }: ReportQuery,
    @Req() request: FastifyRequest,
  ): Promise<VersionReportRecord> {
    return reportRecord(
      await untilClientGone(request, (signal) =>
        this.useCases.execute(new ReportOnVersion(caller, { name, version, heldOut, signal })),
      ),
    );
  }

  @Get(':name/:version/diff')
  @ApiOperation({
    summary: 'Compares two versions by row: added, removed and relabelled rows',
    description: 'Rows are identified by their numbers; `preview` shows them.',
  })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: VersionDiffRecord })
  async diff(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownQuery() { from, ...page }: DiffQuery,
    @Req() request: FastifyRequest,
  ): Promise<VersionDiffRecord> {
    const compared = await untilClientGone(request, (signal) =>
      this.useCases.execute(new CompareVersions(caller, { name, version, from, signal })),
    );
    return diffRecord(compared, page);
  }
}
