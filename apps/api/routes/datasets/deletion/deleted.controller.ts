import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { RestoreVersions } from '#use-cases/datasets/commands/restore.js';
import { ListDeletedVersions } from '#use-cases/datasets/queries/deleted.js';
import { UseCases } from '#use-cases/use-cases.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../../edge/auth/index.js';
import { KnownBody } from '../../../edge/validation/index.js';
import { VersionList } from '../versions/dto.js';
import { versionRecord } from '../versions/record.js';
import { DeletedVersions, RestoreBody } from './deleted-dto.js';

/** Deleted versions, while they can be restored. */
@ApiTags('Datasets')
@ReadingNeeds('history')
@Controller('felix')
export class DeletedDatasetsController {
  constructor(private readonly useCases: UseCases) {}

  @Get('deleted-datasets')
  @ApiOperation({ summary: 'Lists deleted versions that can be restored, the last deleted first' })
  @ApiOkResponse({ type: DeletedVersions })
  async list(@CurrentCaller() caller: Caller): Promise<DeletedVersions> {
    const deleted = await this.useCases.execute(new ListDeletedVersions(caller, null));
    const versions = deleted.map(({ version, deletedAt }) => ({ ...versionRecord(version), deleted_at: deletedAt }));
    return { success: true, count: versions.length, versions };
  }

  @Post('datasets/:name/restore')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Restores a deleted version, or all of the dataset that were ready',
    description: '409 for a version that was not ready, was erased, or was removed to make room.',
  })
  @ApiOkResponse({ type: VersionList })
  async restore(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('name') name: string,
    @KnownBody() { version }: RestoreBody,
  ): Promise<VersionList> {
    const restored = await this.useCases.execute(
      new RestoreVersions(caller, identity, { name, version: version ?? null }),
    );
    return { success: true, count: restored.length, versions: restored.map(versionRecord) };
  }
}
