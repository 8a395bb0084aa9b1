import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { VersionRequest } from '#domain/dataset/index.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { Deleted } from '../projects/dto.js';
import { ProcessUpload, RequestUpload } from '#use-cases/datasets/commands/upload.js';
import { DeleteDataset, DeleteVersion } from '#use-cases/datasets/commands/delete.js';
import {
  DatasetDescriptionBody,
  DatasetList,
  DatasetListQuery,
  DatasetVersionRecord,
  ProcessBody,
  UploadUrl,
  UploadUrlBody,
  VersionList,
} from './versions/dto.js';
import { DescribeVersion } from '#use-cases/datasets/commands/describe.js';
import { EraseVersion } from '#use-cases/datasets/commands/erase.js';
import { DeletedVersion, DeleteVersionQuery } from './deletion/erasure-dto.js';
import { certificateOf } from './deletion/record.js';
import { FromFeedback, FromFeedbackBody } from './feedback/dto.js';
import { madeFromFeedback } from './feedback/record.js';
import { MakeFromFeedback } from '#use-cases/datasets/commands/from-feedback.js';
import { MergeDatasets } from '#use-cases/datasets/commands/merge.js';
import { MergeBody, Merged } from './merge/dto.js';
import { GetVersion, ListDatasets, ListVersions } from '#use-cases/datasets/queries/versions.js';
import { mergedRecord } from './merge/record.js';
import { versionRecord } from './versions/record.js';
import { VERSION, versionPipe } from './reading/version-pipe.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

@ApiTags('Datasets')
@ReadingNeeds('history')
@Controller('felix/datasets')
export class DatasetsController {
  constructor(private readonly useCases: UseCases) {}

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
    const { version, address, expiresInSeconds } = await this.useCases.execute(
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
    return versionRecord(await this.useCases.execute(new ProcessUpload(caller, identity, body)));
  }

  @Post('from-feedback')
  @Idempotent()
  @HttpCode(202)
  @ApiOperation({ summary: 'Creates a new version from answers that reviewers judged correct or corrected' })
  @ApiAcceptedResponse({ type: FromFeedback })
  async fromFeedback(
    @KnownBody() body: FromFeedbackBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<FromFeedback> {
    return madeFromFeedback(await this.useCases.execute(new MakeFromFeedback(caller, identity, body)));
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
    const { version, sources } = await this.useCases.execute(new MergeDatasets(caller, identity, body));
    return mergedRecord(version, sources);
  }

  @Get()
  @ApiOperation({ summary: 'Lists datasets by their newest version that has not failed, newest first' })
  @ApiOkResponse({ type: DatasetList })
  async list(@CurrentCaller() caller: Caller, @KnownQuery() query: DatasetListQuery): Promise<DatasetList> {
    const { listed, total } = await this.useCases.execute(new ListDatasets(caller, query));
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
    const versions = await this.useCases.execute(new ListVersions(caller, name, asOf));
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
    return versionRecord(await this.useCases.execute(new GetVersion(caller, { name, version }, asOf)));
  }

  @Patch(':name/:version')
  @ApiOperation({
    summary:
      'Says of a version what its rows are for, where they come from, their license, the consent to them, and how they are labelled',
    description: 'The rows stay as they are. A field that is absent stays; null removes it. Each change is an event.',
  })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: DatasetVersionRecord })
  async describe(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
    @KnownBody() description: DatasetDescriptionBody,
  ): Promise<DatasetVersionRecord> {
    const order = { name, version, description: { ...description } };
    return versionRecord(await this.useCases.execute(new DescribeVersion(caller, identity, order)));
  }

  @Delete(':name')
  @Reasoned()
  @ApiOperation({
    summary: 'Deletes all versions; 409 while a training job or an evaluation uses one of them',
  })
  @MayNeedTwo()
  @ApiOkResponse({ type: Deleted })
  async deleteAll(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('name') name: string,
  ): Promise<Deleted> {
    const count = await this.useCases.execute(new DeleteDataset(caller, identity, name));
    const versions = count === 1 ? '1 version' : `${count} versions`;
    return { success: true, message: `dataset ${JSON.stringify(name)} is deleted: ${versions}` };
  }

  @Delete(':name/:version')
  @Reasoned()
  @ApiOperation({
    summary: 'Deletes one version; `latest` is the highest number, in any state',
    description:
      'With `erase=true`, the deletion is permanent: rows and files are removed immediately, and the answer contains a certificate.',
  })
  @ApiParam(VERSION)
  @MayNeedTwo()
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
      const erased = await this.useCases.execute(new EraseVersion(caller, identity, { name, version }));
      const certificate = certificateOf(erased);
      return { success: true, message: said(certificate.version, 'erased'), certificate };
    }
    const { versionNumber } = await this.useCases.execute(new DeleteVersion(caller, identity, { name, version }));
    return { success: true, message: said(versionNumber, 'deleted') };
  }
}
