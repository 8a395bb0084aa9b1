import { Controller, Delete, Get, Param, Put, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { Settings } from '#settings/index.js';
import { CurrentCaller, Gives, Identity, ReadingNeeds, SessionOnly } from '../../edge/auth/index.js';
import type { FastifyRequest } from '../../edge/http.js';
import { publicAddressOf } from '../../edge/public-address.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { EraseMember, GiveRole, RemoveRole, SetAnalystsContent, SetTwoPeople } from '#use-cases/workspace/commands.js';
import {
  GivenRole,
  MemberBody,
  MemberRemoved,
  RemoveMemberQuery,
  TwoPeopleBody,
  WorkspaceBody,
  WorkspaceRecord,
} from './dto.js';
import { GetWorkspace } from '#use-cases/workspace/queries.js';
import { certificateOf, memberRecord, workspaceRecord } from './record.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

@ApiTags('Workspace')
@ReadingNeeds('history')
@Controller('workspace')
export class WorkspaceController {
  constructor(
    private readonly useCases: UseCases,
    private readonly settings: Settings,
  ) {}

  @Get()
  @ApiOperation({ summary: "The caller's workspace: its members and their roles" })
  @ApiOkResponse({ type: WorkspaceRecord })
  async get(@CurrentCaller() caller: Caller): Promise<WorkspaceRecord> {
    return workspaceRecord(await this.useCases.execute(new GetWorkspace(caller, null)));
  }

  @Put()
  @Gives(SetAnalystsContent)
  @SessionOnly()
  @ApiOperation({ summary: 'Sets whether analysts see the content of calls and datasets' })
  @ApiOkResponse({ type: WorkspaceRecord })
  async set(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @KnownBody() body: WorkspaceBody,
  ): Promise<WorkspaceRecord> {
    await this.useCases.execute(new SetAnalystsContent(caller, identity, body.analysts_see_content));
    return this.get(caller);
  }

  @Put('two-people')
  @Gives(SetTwoPeople)
  @SessionOnly()
  @MayNeedTwo()
  @ApiOperation({
    summary: 'Sets which acts need two people; where some do, another owner confirms each change of this',
  })
  @ApiOkResponse({ type: WorkspaceRecord })
  async setTwoPeople(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @KnownBody() body: TwoPeopleBody,
  ): Promise<WorkspaceRecord> {
    await this.useCases.execute(new SetTwoPeople(caller, identity, body.acts));
    return this.get(caller);
  }

  @Put('members')
  @Gives(GiveRole)
  @SessionOnly()
  @ApiOperation({
    summary: 'Gives a person a role in the workspace, or changes it; invites people who are not in the team yet',
  })
  @ApiOkResponse({ type: GivenRole })
  async giveRole(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @KnownBody() body: MemberBody,
    @Req() request: FastifyRequest,
  ): Promise<GivenRole> {
    const { token, ...member } = await this.useCases.execute(new GiveRole(caller, identity, body));
    const address = publicAddressOf(this.settings, request.server);
    return { ...memberRecord(member), sign_in_link: token === null ? null : `${address}/sign-in?token=${token}` };
  }

  @Delete('members/:user_id')
  @Reasoned()
  @Gives(RemoveRole)
  @SessionOnly()
  @ApiOperation({
    summary: 'Removes a person from the workspace; their keys and sessions in it are refused from now on',
  })
  @MayNeedTwo()
  @ApiOkResponse({ type: MemberRemoved })
  async removeRole(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('user_id') userId: string,
    @KnownQuery() { erase = false }: RemoveMemberQuery,
  ): Promise<MemberRemoved> {
    const done = { success: true, message: null };
    if (erase) {
      const erasure = await this.useCases.execute(new EraseMember(caller, identity, userId));
      return { ...done, certificate: certificateOf(userId, erasure) };
    }
    await this.useCases.execute(new RemoveRole(caller, identity, userId));
    return { ...done, certificate: null };
  }
}
