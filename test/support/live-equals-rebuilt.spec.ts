import type { Projection } from '#log/projector/projection.js';
import { expectLiveEqualsRebuilt } from './live-equals-rebuilt.js';

const counted: Projection = {
  name: 'counted',
  version: 1,
  indexes: [],
  key: ({ data }) => data['key'] as string,
  on: { 'counted.v1': (document) => ({ count: ((document?.['count'] as number | undefined) ?? 0) + 1 }) },
};
const events = ['a', 'b', 'a'].map((key) => ({ type: 'counted.v1', data: { key } }));

describe('the check that live equals rebuilt', () => {
  it('passes for a projection that depends only on its events', async () => {
    const documents = await expectLiveEqualsRebuilt(counted, events);
    expect(documents).toEqual(
      new Map([
        ['a', { count: 2 }],
        ['b', { count: 1 }],
      ]),
    );
  });

  it('fails for a projection with memory', async () => {
    let total = 0;
    const remembering: Projection = { ...counted, on: { 'counted.v1': () => ({ count: (total += 1) }) } };
    await expect(expectLiveEqualsRebuilt(remembering, events)).rejects.toThrow();
  });

  it('fails for a projection that mutates a document', async () => {
    const changing: Projection = {
      ...counted,
      on: {
        'counted.v1': (document) => {
          if (!document) return { count: 1 };
          (document as { count: number }).count += 1;
          return { ...document };
        },
      },
    };
    await expect(expectLiveEqualsRebuilt(changing, events)).rejects.toThrow(/parks a/);
  });

  it('fails for a projection that throws', async () => {
    const failing: Projection = {
      ...counted,
      on: {
        'counted.v1': () => {
          throw new Error('no');
        },
      },
    };
    await expect(expectLiveEqualsRebuilt(failing, events)).rejects.toThrow('counted parks a at counted.v1: Error: no');
  });
});
