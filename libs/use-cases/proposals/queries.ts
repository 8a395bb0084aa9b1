import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentAsOf } from '#application/as-of.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { streamName } from '#domain/streams.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import { proposals, type ProposalDocument } from '#projections/proposals/projection.js';
import { pageOfProposals, proposalDocuments } from '#projections/proposals/queries.js';
import { CallerQuery, ResourceQuery } from '../commands-and-queries.js';

/** Newest first. */
export class ListProposals extends CallerQuery<
  PageRequest & { readonly status?: ProposalDocument['status'] | undefined },
  Page<ProposalDocument>
> {}

@QueryHandler(ListProposals)
export class ListProposalsHandler implements IQueryHandler<ListProposals> {
  constructor(private readonly application: Application) {}

  execute({ caller, input }: ListProposals): Promise<Page<ProposalDocument>> {
    return pageOfProposals(this.application.ports.readStore, caller.workspaceId, input);
  }
}

export class GetProposal extends ResourceQuery<string, ProposalDocument> {}

@QueryHandler(GetProposal)
export class GetProposalHandler implements IQueryHandler<GetProposal> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError */
  execute({ caller, input: id, asOf }: GetProposal): Promise<ProposalDocument> {
    if (!asOf) return requireProposal(this.application, caller, id);
    const stream = streamName('proposal', id);
    return documentAsOf(this.application, caller, asOf, { what: 'proposal', projection: proposals, stream, id });
  }
}

/** @throws NotFoundError unknown, or of another workspace */
export async function requireProposal({ ports }: Application, caller: Caller, id: string): Promise<ProposalDocument> {
  const proposal = await proposalDocuments.get(ports.readStore, id);
  if (proposal?.workspaceId !== caller.workspaceId) throw new NotFoundError('proposal', id);
  return proposal;
}
