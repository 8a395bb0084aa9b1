import type { CallMetered, CallOpened } from '#domain/inference/index.js';
import type { Projection } from '#log/projector/projection.js';

/** Cost of a team's calls in a month that one allotment paid for, or that no credits paid for. */
export type ChargesDocument = {
  readonly id: string;
  readonly teamId: string;
  /** `2026-11`, UTC. Of calls that credits paid for, the month whose credits did. */
  readonly month: string;
  /** null: no credits paid, since they were not enforced. */
  readonly holder: string | null;
  readonly requestCount: number;
  /** Picodollars, a whole number in decimal. */
  readonly cost: string;
  /** Calls that have been sent to a provider and have not ended. */
  readonly open: readonly string[];
};

type Call = Pick<CallMetered['data'], 'inferenceId' | 'teamId' | 'chargedTo' | 'at'>;

export const chargesId = (teamId: string, month: string, holder: string | null): string =>
  `${teamId}/${month}/${holder ?? '-'}`;

export const charges: Projection<ChargesDocument, CallOpened | CallMetered> = {
  name: 'charges',
  version: 1,
  indexes: [{ fields: ['teamId', 'month'] }],
  key({ data }) {
    const { month, holder } = paidBy(data);
    return chargesId(data.teamId, month, holder);
  },
  on: {
    'call-opened.v1': (document, { data }) => {
      const before = document ?? none(data);
      return { ...before, open: [...before.open, data.inferenceId] };
    },
    'call-metered.v1': (document, { data }) => {
      const before = document ?? none(data);
      return {
        ...before,
        requestCount: before.requestCount + 1,
        cost: String(BigInt(before.cost) + BigInt(data.costPicodollars)),
        open: before.open.includes(data.inferenceId)
          ? before.open.filter((each) => each !== data.inferenceId)
          : before.open,
      };
    },
  },
};

function none(call: Call): ChargesDocument {
  const { teamId } = call;
  const { month, holder } = paidBy(call);
  return { id: chargesId(teamId, month, holder), teamId, month, holder, requestCount: 0, cost: '0', open: [] };
}

function paidBy({ chargedTo, at }: Call) {
  const [month = '', holder = null] = chargedTo ? chargedTo.split('/', 2) : [at.slice(0, 7)];
  return { month, holder };
}
