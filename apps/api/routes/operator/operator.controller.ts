import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { Settings } from '#settings/index.js';
import { CurrentCaller, ReadingNeeds } from '../../edge/auth/index.js';
import { OperatorQueue, RunnerList, SettingsInForce } from './dto.js';
import { queueOf } from './queue.js';
import { RunnersHeard } from './runners-heard.js';
import { settingsInForce } from './settings-in-force.js';
import { userIdOf, DEFAULT_ADMIN_EMAIL } from '#application/accounts/index.js';
import { ForbiddenError } from '#domain/errors.js';

@ApiTags('Operator')
@ReadingNeeds('history')
@Controller()
export class OperatorController {
  constructor(
    private readonly runnersHeard: RunnersHeard,
    private readonly inForce: Settings,
    private readonly application: Application,
  ) {}

  @Get('runners')
  @ApiOperation({ summary: 'Lists the runners by their heartbeats: work, engines and loaded models; operator only' })
  @ApiOkResponse({ type: RunnerList })
  runners(@CurrentCaller() caller: Caller): RunnerList {
    requireOperator(caller, this.inForce);
    return { runners: this.runnersHeard.list() };
  }

  @Get('queue')
  @ApiOperation({
    summary: 'The work of all workspaces that waits for a runner or runs on one; operator only',
  })
  @ApiOkResponse({ type: OperatorQueue })
  async queue(@CurrentCaller() caller: Caller): Promise<OperatorQueue> {
    requireOperator(caller, this.inForce);
    return { queue: await queueOf(this.application.ports.bus) };
  }

  @Get('settings')
  @ApiOperation({ summary: 'The settings in force, without secrets; operator only' })
  @ApiOkResponse({ type: SettingsInForce })
  settings(@CurrentCaller() caller: Caller): SettingsInForce {
    requireOperator(caller, this.inForce);
    return { settings: settingsInForce(this.inForce) };
  }
}

/**
 * Admits the operator: the person whom the settings name as the first user (`ANNEAL_ADMIN_EMAIL`), by session or by one
 * of their keys.
 * @throws ForbiddenError
 */
function requireOperator({ userId }: Caller, { adminEmail }: Pick<Settings, 'adminEmail'>): void {
  if (userId === userIdOf(adminEmail ?? DEFAULT_ADMIN_EMAIL)) return;
  throw new ForbiddenError('only the operator may see this: sign in as the user whom ANNEAL_ADMIN_EMAIL names');
}
