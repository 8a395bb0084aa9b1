import type { Proposal, ProposalEvent } from '#domain/proposal/index.js';
import type { Recorded } from '../events/log-reader.js';
import type { Gathered } from './gathered.js';
import type { Names } from './names.js';
import { cited, fact, type Statement } from './report.js';

interface Wanted {
  readonly names: Names;
  readonly isAbout?: (proposal: Proposal) => boolean;
  /** ISO 8601, inclusive: the proposals that were made. */
  readonly period?: { readonly since: string | null; readonly until: string | null };
}

type Made = Extract<Recorded<ProposalEvent>, { type: 'act-proposed.v1' }>;

/** Acts that needed two people: who proposed each, who decided it, and what speaks against two. */
export function proposalStatements(
  gathered: Gathered,
  { names, isAbout = () => true, period: { since, until } = { since: null, until: null } }: Wanted,
): readonly Statement[] {
  const byId = Map.groupBy(gathered.events<ProposalEvent>('proposal'), ({ data }) => data.proposalId);
  return [...byId.values()].flatMap((events) => {
    const made = events.find((event): event is Made => event.type === 'act-proposed.v1');
    if (!made || !isAbout(made.data)) return [];
    const { proposedAt, about, actor, reason } = made.data;
    if ((since !== null && proposedAt < since) || (until !== null && proposedAt > until)) return [];
    const why = reason === null ? '' : `; reason: ${JSON.stringify(reason)}`;
    const ends = events.flatMap((event) => endOf(event, names) ?? []);
    const ended = ends.length === 0 ? 'nobody has decided it' : ends.join('; ');
    return [
      fact(
        `${proposedAt}: ${names.of(actor)} proposed to ${about}${why}; ${ended}.`,
        events.map((event) => cited(event)),
      ),
    ];
  });
}

function endOf({ type, data }: Recorded<ProposalEvent>, names: Names): string | null {
  switch (type) {
    case 'proposal-confirmed.v1': {
      const against = [
        ...(data.invitedByProposer ? ['whom the proposer had invited'] : []),
        ...(data.sameAddress ? ['from the same address'] : []),
      ];
      return [`confirmed by ${names.of(data.actor)} on ${data.at}`, ...against].join(', ');
    }
    case 'proposal-declined.v1':
      return `declined by ${names.of(data.actor)} on ${data.at}${data.reason === null ? '' : `: ${JSON.stringify(data.reason)}`}`;
    case 'proposal-expired.v1':
      return `it expired on ${data.expiredAt}`;
    case 'proposal-performed.v1':
      return `done on ${data.performedAt}`;
    case 'act-proposed.v1':
      return null;
  }
}
