import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AsOfRequest } from '#application/as-of.js';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { ConfirmProposal, DeclineProposal } from '#use-cases/proposals/commands.js';
import { GetProposal, ListProposals } from '#use-cases/proposals/queries.js';
import { UseCases } from '#use-cases/use-cases.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { DeclineBody, ProposalList, ProposalRecord, ProposalsQuery } from './dto.js';
import { proposalRecord } from './record.js';

@ApiTags('Workspace')
@ReadingNeeds('history')
@Controller('proposals')
export class ProposalsController {
  constructor(private readonly useCases: UseCases) {}

  @Get()
  @ApiOperation({ summary: 'Lists the acts that were proposed because they need two people, newest first' })
  @ApiOkResponse({ type: ProposalList })
  async list(@KnownQuery() query: ProposalsQuery, @CurrentCaller() caller: Caller): Promise<ProposalList> {
    const { documents, total } = await this.useCases.execute(new ListProposals(caller, query));
    return { proposals: documents.map(proposalRecord), count: documents.length, total };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One proposed act, and who confirmed or declined it' })
  @ApiOkResponse({ type: ProposalRecord })
  async one(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<ProposalRecord> {
    return proposalRecord(await this.useCases.execute(new GetProposal(caller, id, asOf)));
  }

  @Post(':id/confirm')
  @HttpCode(200)
  @ApiOperation({ summary: 'Confirms what another person proposed, which is then done' })
  @ApiOkResponse({ type: ProposalRecord })
  async confirm(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ProposalRecord> {
    return proposalRecord(await this.useCases.execute(new ConfirmProposal(caller, identity, id)));
  }

  @Post(':id/decline')
  @HttpCode(200)
  @ApiOperation({ summary: 'Declines a proposal, or withdraws your own' })
  @ApiOkResponse({ type: ProposalRecord })
  async decline(
    @Param('id') id: string,
    @KnownBody() { reason = null }: DeclineBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ProposalRecord> {
    return proposalRecord(await this.useCases.execute(new DeclineProposal(caller, identity, { id, reason })));
  }
}
