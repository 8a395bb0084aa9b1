import { ConfirmProposalHandler, DeclineProposalHandler } from './commands.js';
import { GetProposalHandler, ListProposalsHandler } from './queries.js';

export const PROPOSALS = [ConfirmProposalHandler, DeclineProposalHandler, GetProposalHandler, ListProposalsHandler];
