import type { CallMetered } from '#domain/inference/index.js';
import type { JsonObject } from '#domain/json.js';
import type { Projection } from '#projector/projection.js';

/** What a team's calls of a month have cost that one allotment paid for; or those that no credits paid for. */
export interface ChargesDocument extends JsonObject {
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
}

type HandledEvent =
  | CallMetered
  | {
      readonly type: 'call-opened.v1';
      readonly data: Pick<CallMetered['data'], 'inferenceId' | 'teamId' | 'chargedTo' | 'at'>;
    };

export const chargesId = (teamId: string, month: string, holder: string | null): string =>
  `${teamId}/${month}/${holder ?? '-'}`;

export const charges: Projection<ChargesDocument> = {
  name: 'charges',
  version: 1,
  handles: ['call-opened.v1', 'call-metered.v1'],
  indexes: [{ fields: ['teamId', 'month'] }],
  key(recorded) {
    const { data } = recorded as unknown as HandledEvent;
    const { month, holder } = paidBy(data);
    return chargesId(data.teamId, month, holder);
  },
  apply(document, recorded) {
    const event = recorded as unknown as HandledEvent;
    const { teamId, inferenceId } = event.data;
    const { month, holder } = paidBy(event.data);
    const id = chargesId(teamId, month, holder);
    const before = document ?? { id, teamId, month, holder, requestCount: 0, cost: '0', open: [] };
    switch (event.type) {
      case 'call-opened.v1':
        return { ...before, open: [...before.open, inferenceId] };
      case 'call-metered.v1':
        return {
          ...before,
          requestCount: before.requestCount + 1,
          cost: String(BigInt(before.cost) + BigInt(event.data.costPicodollars)),
          open: before.open.includes(inferenceId) ? before.open.filter((each) => each !== inferenceId) : before.open,
        };
    }
  },
};

function paidBy({ chargedTo, at }: Pick<CallMetered['data'], 'chargedTo' | 'at'>) {
  const [month = '', holder = null] = chargedTo ? chargedTo.split('/', 2) : [at.slice(0, 7)];
  return { month, holder };
}
