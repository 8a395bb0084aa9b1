import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountBook } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { teamDecider, type Team } from '#domain/team/index.js';
import { CallerCommand } from '../commands-and-queries.js';

/** Opts the caller's team out of the use of its data, or in again. */
export class SetDataUse extends CallerCommand<boolean, Team> {}

@CommandHandler(SetDataUse)
export class SetDataUseHandler implements ICommandHandler<SetDataUse> {
  constructor(
    private readonly application: Application,
    private readonly accounts: AccountBook,
  ) {}

  /** @throws ForbiddenError naming the team's plan */
  async execute({ caller, identity, input: optedOut }: SetDataUse): Promise<Team> {
    const { teamId } = caller;
    const command = { type: 'set-team-data-use', teamId, optedOut } as const;
    const context = callerContext(caller, identity);
    const { state } = await this.application.execute(teamDecider, teamId, command, context);
    if (state.status === 'none') throw new Error('a team that was changed has no state');
    this.accounts.drop(teamId);
    return state;
  }
}
