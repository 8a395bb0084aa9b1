import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { Settings } from '#settings/index.js';
import { CurrentCaller, ReadingNeeds } from '../auth/index.js';
import { RunnerList, SettingsInForce } from './dto.js';
import { requireOperator } from './operator.js';
import { RunnersHeard } from './runners-heard.js';
import { settingsInForce } from './settings-in-force.js';

@ApiTags('Operator')
@ReadingNeeds('history')
@Controller()
export class OperatorController {
  constructor(
    private readonly runnersHeard: RunnersHeard,
    private readonly inForce: Settings,
  ) {}

  @Get('runners')
  @ApiOperation({ summary: 'The runners by their heartbeats: work, engines, what they have loaded; for the operator' })
  @ApiOkResponse({ type: RunnerList })
  runners(@CurrentCaller() caller: Caller): RunnerList {
    requireOperator(caller, this.inForce);
    return { runners: this.runnersHeard.list() };
  }

  @Get('settings')
  @ApiOperation({ summary: 'The settings in force, without secrets; for the operator' })
  @ApiOkResponse({ type: SettingsInForce })
  settings(@CurrentCaller() caller: Caller): SettingsInForce {
    requireOperator(caller, this.inForce);
    return { settings: settingsInForce(this.inForce) };
  }
}
