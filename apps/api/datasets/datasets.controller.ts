import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { VersionRequest } from '#domain/dataset/index.js';
import { attachment } from '#ports/object-store/attachment.js';
import { AnswerBytes, MAX_PAGE_BYTES } from '../answer-budget.js';
import { AsOf, type AsOfRequest } from '../as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../auth/index.js';
import type { FastifyReply, FastifyRequest } from '../http.js';
import { Idempotent } from '../idempotency/decorators.js';
import { untilClientGone } from '../client-gone.js';
import { etagOf } from '../conditional.js';
import { sendFile } from '../send-file.js';
import { Deleted } from '../projects/dto.js';
import { ProcessUpload, RequestUpload } from './uploads/commands.js';
import { DeleteDataset, DeleteVersion } from './deletion/deletion.js';
import { CompareVersions } from './reports/diff.js';
import { DiffQuery, diffRecord, VersionDiffRecord } from './reports/diff-dto.js';
import { DownloadRows } from './reading/download.js';
import {
  DatasetList,
  DatasetListQuery,
  DatasetVersionRecord,
  DownloadQuery,
  Preview,
  PreviewQuery,
  ProcessBody,
  UploadUrl,
  UploadUrlBody,
  VersionList,
} from './versions/dto.js';
import { EraseVersion } from './deletion/erasure.js';
import { DeletedVersion, DeleteVersionQuery } from './deletion/erasure-dto.js';
import { FromFeedback, FromFeedbackBody } from './feedback/dto.js';
import { MakeFromFeedback } from './feedback/from-feedback.js';
import { MergeDatasets } from './merge/merge.js';
import { MergeBody, Merged } from './merge/dto.js';
import { GetReadableVersion, GetVersion, ListDatasets, ListVersions, PreviewRows } from './reading/queries.js';
import { mergedRecord } from './merge/record.js';
import { versionRecord } from './versions/record.js';
import { ReportOnVersion } from './reports/report.js';
import { ReportQuery, VersionReportRecord } from './reports/report-dto.js';
import { reportRecord } from './reports/report-record.js';
import { VERSION, versionPipe } from './reading/version-pipe.js';
import { ReadsContent } from '../reads/decorator.js';
import { KnownBody, KnownQuery } from '../validation/index.js';

/** Names the fields that the format of a download cannot hold. */
const LEFT_OUT = 'x-anneal-left-out';

/** A text as a header may hold it. */
const inAscii = (text: string): string =>
  text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

@ApiTags('Datasets')
@ReadingNeeds('history')
@Controller('felix/datasets')
export class DatasetsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post('upload/url')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Starts a new version and returns an address for the PUT of the file, which needs no API key',
  })
  @ApiOkResponse({ type: UploadUrl })
  async uploadUrl(
    @KnownBody() body: UploadUrlBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<UploadUrl> {
    const { version, address, expiresInSeconds } = await this.commands.execute(
      new RequestUpload(caller, identity, body),
    );
    return {
      presigned_url: address,
      upload_url: address,
      dataset_id: version.versionId,
      dataset_name: version.name,
      version_number: String(version.versionNumber),
      expires_in: expiresInSeconds,
    };
  }

  @Post('upload/process')
  @Idempotent()
  @HttpCode(202)
  @ApiOperation({ summary: 'Seals the uploaded file and processes it in the background: poll until ready or failed' })
  @ApiAcceptedResponse({ type: DatasetVersionRecord })
  async process(
    @KnownBody() body: ProcessBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<DatasetVersionRecord> {
    return versionRecord(await this.commands.execute(new ProcessUpload(caller, identity, body.dataset_id)));
  }

  @Post('from-feedback')
  @Idempotent()
  @HttpCode(202)
  @ApiOperation({ summary: 'Creates a new version from answers that reviewers judged correct or corrected' })
  @ApiAcceptedResponse({ type: FromFeedback })
  fromFeedback(
    @KnownBody() body: FromFeedbackBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<FromFeedback> {
    return this.commands.execute(new MakeFromFeedback(caller, identity, body));
  }

  @Post('merge')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Creates a new version with the rows of several datasets of one type, in the given order' })
  @ApiOkResponse({ type: Merged })
  async merge(
    @KnownBody() body: MergeBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<Merged> {
    const { version, sources } = await this.commands.execute(new MergeDatasets(caller, identity, body));
    return mergedRecord(version, sources);
  }

  @Get()
  @ApiOperation({ summary: 'Lists datasets by their newest version that has not failed, newest first' })
  @ApiOkResponse({ type: DatasetList })
  async list(@CurrentCaller() caller: Caller, @KnownQuery() query: DatasetListQuery): Promise<DatasetList> {
    const { listed, total } = await this.queries.execute(new ListDatasets(caller, query));
    const datasets = listed.map(({ version, versionCount }) => ({
      ...versionRecord(version),
      version_count: versionCount,
    }));
    return { success: true, count: datasets.length, total, datasets };
  }

  @Get(':name')
  @ApiOperation({ summary: 'Lists the versions of a dataset, newest first' })
  @ApiOkResponse({ type: VersionList })
  async versions(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @AsOf() asOf: AsOfRequest | null,
  ): Promise<VersionList> {
    const versions = await this.queries.execute(new ListVersions(caller, name, asOf));
    return { success: true, count: versions.length, versions: versions.map(versionRecord) };
  }

  @Get(':name/:version')
  @ApiOperation({ summary: 'One version; `latest` is the highest number, in any state' })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: DatasetVersionRecord })
  async version(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @AsOf() asOf: AsOfRequest | null,
  ): Promise<DatasetVersionRecord> {
    return versionRecord(await this.queries.execute(new GetVersion(caller, { name, version }, asOf)));
  }

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
    @KnownQuery() { limit, offset }: PreviewQuery,
  ): Promise<Preview> {
    const ready = await this.queries.execute(new GetReadableVersion(caller.workspaceId, name, version));
    const rows = await this.queries.execute(new PreviewRows(ready, limit, offset));
    return { rows: [...rows], total_rows: ready.contents.rows };
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
  @ApiResponse({
    status: 206,
    description: 'The byte range that the `Range` header requests; JSONL only',
    content: { 'application/x-ndjson': {} },
  })
  @ApiResponse({
    status: 416,
    description: 'The range begins beyond the end of the file; Content-Range gives its length',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
  async download(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownQuery() { format }: DownloadQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const file = await untilClientGone(request, (gone) =>
      this.queries.execute(
        new DownloadRows(caller.workspaceId, name, version, format, request.method === 'HEAD', gone),
      ),
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

  @Get(':name/:version/report')
  @ReadsContent('dataset/{name}/{version}')
  @ApiOperation({ summary: 'Reports the labels and text lengths of a version, and problems in its rows' })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: VersionReportRecord })
  async report(
    @CurrentCaller() caller: Caller,
    @Param('name') name: string,
    @Param('version', versionPipe) requested: VersionRequest,
    @KnownQuery() { held_out: heldOutName }: ReportQuery,
    @Req() request: FastifyRequest,
  ): Promise<VersionReportRecord> {
    const { version, heldOut, report } = await untilClientGone(request, (gone) =>
      this.queries.execute(new ReportOnVersion(caller.workspaceId, name, requested, heldOutName ?? null, gone)),
    );
    return reportRecord(version, heldOut, report);
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
    const compared = await untilClientGone(request, (gone) =>
      this.queries.execute(new CompareVersions(caller.workspaceId, name, from, version, gone)),
    );
    return diffRecord(compared, page);
  }

  @Delete(':name')
  @ApiOperation({
    summary: 'Deletes all versions; 409 while a training job or an evaluation uses one of them',
  })
  @ApiOkResponse({ type: Deleted })
  async deleteAll(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('name') name: string,
  ): Promise<Deleted> {
    const count = await this.commands.execute(new DeleteDataset(caller, identity, name));
    const versions = count === 1 ? '1 version' : `${count} versions`;
    return { success: true, message: `dataset ${JSON.stringify(name)} is deleted: ${versions}` };
  }

  @Delete(':name/:version')
  @ApiOperation({
    summary: 'Deletes one version; `latest` is the highest number, in any state',
    description:
      'With `erase=true`, the deletion is permanent: rows and files are removed immediately, and the answer contains a certificate.',
  })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: DeletedVersion })
  async deleteOne(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownQuery() { erase }: DeleteVersionQuery,
  ): Promise<DeletedVersion> {
    const said = (number: number, what: string) => `version ${number} of dataset ${JSON.stringify(name)} is ${what}`;
    if (erase) {
      const certificate = await this.commands.execute(new EraseVersion(caller, identity, name, version));
      return { success: true, message: said(certificate.version, 'erased'), certificate };
    }
    const { versionNumber } = await this.commands.execute(new DeleteVersion(caller, identity, name, version));
    return { success: true, message: said(versionNumber, 'deleted') };
  }
}
