import type { RecordedEvent } from '#ports/event-store/port.js';
import type { LoadedDocument } from '#ports/read-store/port.js';
import { DocumentFolding } from './folding.js';
import { HandledTypes } from './handled-types.js';
import type { Projection } from './projection.js';

/** Payments, numbered by payer, and summed up by payer and day. */
const payments: Projection = {
  name: 'payments',
  version: 1,
  indexes: [],
  ordinals: [{ field: 'n', within: ['payer'] }],
  totals: [
    {
      fields: ['payer', 'day', 'amount'],
      key: ({ payer, day }) => `#${payer as string} ${day as string}`,
      empty: () => ({ sum: 0 }),
      count: (total, { amount }, times) =>
        void Object.assign(total, { sum: Number(total['sum']) + times * Number(amount) }),
      isEmpty: ({ sum }) => sum === 0,
    },
  ],
  key: ({ data }) => data['id'] as string,
  on: {
    'paid.v1': (_, { data }) => (data['amount'] === 'all' ? fail() : { ...data }),
    'amended.v1': (document, { data }) => document && { ...document, ...data },
  },
};

function fail(): never {
  throw new Error('not a number');
}

describe('folding a batch', () => {
  it('reads documents, counters and totals of all its events in one request each', async () => {
    const asked: string[][] = [];
    const folding = new DocumentFolding(payments, new HandledTypes(payments.on), {
      load: async (ids) => {
        asked.push([...ids]);
        return new Map<string, LoadedDocument>([['#ada Monday', { position: '0', document: { sum: 10 } }]]);
      },
      counters: async (keys) => {
        asked.push([...keys]);
        return new Map([['n:["ada"]', 7]]);
      },
    });
    const { writes, totals, parked } = await folding.fold(
      [
        event(1, 'paid.v1', { id: 'p1', payer: 'ada', day: 'Monday', amount: 1 }),
        event(2, 'paid.v1', { id: 'p2', payer: 'ben', day: 'Monday', amount: 2 }),
        event(3, 'paid.v1', { id: 'p3', payer: 'ada', day: 'Tuesday', amount: 4 }),
        event(4, 'paid.v1', { id: 'p4', payer: 'ada', day: 'Sunday', amount: 'all' }),
        event(5, 'amended.v1', { id: 'p1', day: 'Friday' }),
      ],
      null,
    );
    expect(asked).toEqual([
      ['p1', 'p2', 'p3', 'p4'],
      ['n:["ada"]', 'n:["ben"]'],
      ['#ada Monday', '#ben Monday', '#ada Tuesday', '#ada Friday'],
    ]);
    expect(writes.map(({ id, document }) => [id, document?.['n']])).toEqual([
      ['p1', 8],
      ['p2', 1],
      ['p3', 9],
    ]);
    expect([...totals].map(([id, { document }]) => [id, document?.['sum']])).toEqual([
      ['#ada Monday', 10],
      ['#ben Monday', 2],
      ['#ada Tuesday', 4],
      ['#ada Friday', 1],
    ]);
    expect([...parked.keys()]).toEqual(['p4']);
  });
});

function event(n: number, type: string, data: RecordedEvent['data']): RecordedEvent {
  const metadata = { workspaceId: 'w', actor: 'a', correlationId: 'c', causationId: 'c', commandId: 'c' };
  const place = { stream: 's', revision: n, position: String(n), id: String(n) };
  return { ...place, type, data, metadata: { ...metadata, occurredAt: '2030-01-01T00:00:00.000Z' } };
}
