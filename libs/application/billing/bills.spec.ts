import type { EventReader } from '#ports/event-store/port.js';
import { billsOf } from './bills.js';

describe('bills computed from the log', () => {
  it('name the first 1,000 calls whose recorded cost is wrong, and count the others', async () => {
    const price = { input: '10', output: '10', cacheRead: '10', cacheWrite: '10' };
    const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const call = { teamId: 't', workspaceId: 'w', keyId: null, trainingJobId: null, baseModel: 'm', chargedTo: null };
    const reader = {
      async *readAll() {
        for (let id = 0; id < 1_500; id += 1)
          yield {
            type: 'call-metered.v1',
            data: { ...call, ...usage, price, inferenceId: `c${id}`, at: '2026-01-01T00:00:00Z', costPicodollars: '7' },
          };
      },
    } as unknown as EventReader;
    const bills = await billsOf(reader);
    const { named, more } = bills.miscalculated('t');
    expect([named.length, more, bills.team('t').requestCount]).toEqual([1_000, 500, 1_500]);
  });
});
