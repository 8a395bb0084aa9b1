import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { GetQueue, GetRunners, GetSettings, GetSettingsChanges } from '#use-cases/operator/queries.js';
import { UseCases } from '#use-cases/use-cases.js';
import { CurrentCaller, ReadingNeeds } from '../../edge/auth/index.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { OperatorQueue, RunnerList, SettingsChanges, SettingsChangesQuery, SettingsInForce } from './dto.js';
import { runnerRecord } from './record.js';

@ApiTags('Operator')
@ReadingNeeds('history')
@Controller()
export class OperatorController {
  constructor(private readonly useCases: UseCases) {}

  @Get('runners')
  @ApiOperation({ summary: 'Lists the runners by their heartbeats: work, engines and loaded models; operator only' })
  @ApiOkResponse({ type: RunnerList })
  async runners(@CurrentCaller() caller: Caller): Promise<RunnerList> {
    const runners = await this.useCases.execute(new GetRunners(caller, null));
    return { runners: runners.map(runnerRecord) };
  }

  @Get('queue')
  @ApiOperation({
    summary: 'The work of all workspaces that waits for a runner or runs on one; operator only',
  })
  @ApiOkResponse({ type: OperatorQueue })
  async queue(@CurrentCaller() caller: Caller): Promise<OperatorQueue> {
    return { queue: await this.useCases.execute(new GetQueue(caller, null)) };
  }

  @Get('settings')
  @ApiOperation({ summary: 'The settings in force, without secrets; operator only' })
  @ApiOkResponse({ type: SettingsInForce })
  async settings(@CurrentCaller() caller: Caller): Promise<SettingsInForce> {
    return { settings: await this.useCases.execute(new GetSettings(caller, null)) };
  }

  @Get('settings/changes')
  @ApiOperation({
    summary: 'Recorded changes of settings, models, prices and providers, the newest first; operator only',
  })
  @ApiOkResponse({ type: SettingsChanges })
  async settingsChanges(
    @CurrentCaller() caller: Caller,
    @KnownQuery() query: SettingsChangesQuery,
  ): Promise<SettingsChanges> {
    const changes = await this.useCases.execute(new GetSettingsChanges(caller, query));
    return { changes: changes.map(({ foundAt, ...change }) => ({ ...change, found_at: foundAt })) };
  }
}
