import { InFlight } from './in-flight.js';

describe('items in flight', () => {
  test('leave their places to later ones', () => {
    const flight = new InFlight<{ readonly name: string }>();
    const [first, second] = [flight.add({ name: 'first' }), flight.add({ name: 'second' })];
    expect(flight.take(first)).toEqual({ name: 'first' });
    expect(flight.size).toBe(1);
    expect(flight.add({ name: 'third' })).toBe(first);
    expect(flight.all().map(({ name }) => name)).toEqual(['third', 'second']);
    expect(flight.take(second)).toEqual({ name: 'second' });
  });

  test('are taken once', () => {
    const flight = new InFlight<object>();
    const place = flight.add({});
    flight.take(place);
    expect(flight.take(place)).toBeNull();
    expect(flight.take(7)).toBeNull();
    expect(flight.size).toBe(0);
    expect(flight.add({})).toBe(place);
    expect(flight.add({})).not.toBe(place);
  });
});
