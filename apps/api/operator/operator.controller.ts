import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { Settings } from '#settings/index.js';
import { CurrentCaller, ReadingNeeds } from '../auth/index.js';
import { RunnerList, SettingsInForce } from './dto.js';
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

/**
 * Lets the operator on: whoever the settings name as the first user (`ANNEAL_ADMIN_EMAIL`), by session or by a key of theirs.
 * @throws ForbiddenError
 */
function requireOperator({ userId }: Caller, { adminEmail }: Pick<Settings, 'adminEmail'>): void {
  if (userId === userIdOf(adminEmail ?? DEFAULT_ADMIN_EMAIL)) return;
  throw new ForbiddenError('only the operator may see this: sign in as the user whom ANNEAL_ADMIN_EMAIL names');
}
