export { PROPOSED_ACTS, TWO_PEOPLE_ACTS, type ProposedAct, type TwoPeopleAct } from './acts.js';
export { PROPOSAL_DAYS, proposalDecider } from './decider.js';
export { PROPOSAL_EVENT_TYPES, type Independence, type Proposal, type ProposalEvent } from './events.js';
export type { ProposalState } from './state.js';
