import { upcaster, Upcasters } from './upcaster.js';

const chain = new Upcasters([
  upcaster('counted.v1', 'counted.v2', ({ count }: { count: string }) => ({ count: Number(count) })),
  upcaster('counted.v2', 'counted.v3', ({ count }: { count: number }) => ({ count, by: 'one' })),
  upcaster('named.v1', 'named.v1', (data: { name?: string }) => (data.name ? data : { ...data, name: 'none' })),
]);

describe('upcasters', () => {
  it('convert an event through every version up to the newest', () => {
    expect(chain.upcast({ type: 'counted.v1', data: { count: '7' } })).toEqual({
      type: 'counted.v3',
      data: { count: 7, by: 'one' },
    });
    expect(chain.upcast({ type: 'counted.v2', data: { count: 7 } })).toMatchObject({ data: { by: 'one' } });
  });

  it('add a field that a version gained later', () => {
    expect(chain.upcast({ type: 'named.v1', data: {} })).toEqual({ type: 'named.v1', data: { name: 'none' } });
  });

  it.each([
    ['of the newest version', { type: 'counted.v3', data: {} }],
    ['without an upcaster', { type: 'other.v1', data: {} }],
    ['that lacks no field', { type: 'named.v1', data: { name: 'x' } }],
  ])('return an event %s itself', (_, event) => {
    expect(chain.upcast(event)).toBe(event);
  });

  it('name all older types that become one of the given types', () => {
    expect(chain.withOlder(['counted.v3', 'named.v1']).toSorted()).toEqual([
      'counted.v1',
      'counted.v2',
      'counted.v3',
      'named.v1',
    ]);
  });
});
