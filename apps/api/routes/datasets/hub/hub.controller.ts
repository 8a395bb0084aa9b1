import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { VersionRequest } from '#domain/dataset/index.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../../edge/auth/index.js';
import type { FastifyRequest } from '../../../edge/http.js';
import { Idempotent } from '../../../edge/idempotency/decorators.js';
import { DatasetVersionRecord } from '../versions/dto.js';
import { HubPreview, HubPreviewBody, PullBody, PushBody, PushedRecord } from './dto.js';
import { PreviewFromHub } from '#use-cases/datasets/queries/hub-preview.js';
import { PullFromHub } from '#use-cases/datasets/commands/pull.js';
import { PUSH_MS, PushVersion } from '#use-cases/datasets/commands/push.js';
import { versionRecord } from '../versions/record.js';
import { VERSION, versionPipe } from '../reading/version-pipe.js';
import { ReadsContent } from '../../../edge/reads/decorator.js';
import { KnownBody } from '../../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('Datasets')
@ReadingNeeds('history')
@Controller('felix/datasets')
export class HubController {
  constructor(private readonly useCases: UseCases) {}

  @Post(':name/:version/push-to-hub')
  @ReadsContent('dataset/{name}/{version}')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Commits the rows to a dataset repository on the hub; `latest` is the newest ready version',
  })
  @ApiParam(VERSION)
  @ApiOkResponse({ type: PushedRecord })
  async push(
    @Req() request: FastifyRequest,
    @KnownBody() body: PushBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('name') name: string,
    @Param('version', versionPipe) version: VersionRequest,
  ): Promise<PushedRecord> {
    // No byte moves on this connection while the rows go to the hub.
    request.raw.socket.setTimeout(PUSH_MS);
    const pushed = await this.useCases.execute(new PushVersion(caller, identity, { ...body, name, version }));
    const where = pushed.isNewRepository ? 'a new repository' : 'a repository that was there';
    const message = `pushed to ${where}, in commit ${pushed.commit}`;
    return { success: true, url: pushed.url, repo_id: pushed.repoId, message };
  }

  @Post('pull-from-hub')
  @Idempotent()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Creates a new version from rows on the hub, in the background: poll until ready or failed',
  })
  @ApiAcceptedResponse({ type: DatasetVersionRecord })
  async pull(
    @KnownBody() body: PullBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<DatasetVersionRecord> {
    return versionRecord(await this.useCases.execute(new PullFromHub(caller, identity, body)));
  }

  @Post('preview-from-hub')
  @HttpCode(200)
  @ApiOperation({ summary: 'Previews rows on the hub, unconverted' })
  @ApiOkResponse({ type: HubPreview })
  async preview(@KnownBody() body: HubPreviewBody): Promise<HubPreview> {
    const { rows, total, columns } = await this.useCases.execute(new PreviewFromHub(body));
    return { rows, total_rows: total, columns };
  }
}
