import fc from 'fast-check';
import { resolveSpans, SpanError } from './spans.js';

const found = (text: string, entities: Parameters<typeof resolveSpans>[1]) =>
  resolveSpans(text, entities).map(({ start, end, label }) => [start, end, label]);

describe('spans of entities', () => {
  it('given as a pair mean the first free occurrence, left to right', () => {
    expect(
      found('Paris met Paris', [
        ['Paris', 'person'],
        ['Paris', 'city'],
      ]),
    ).toEqual([
      [0, 5, 'person'],
      [10, 15, 'city'],
    ]);
  });

  it('with a start take precedence over pairs anywhere in the list', () => {
    const start = { text: 'Paris', label: 'city', start: 0 };
    expect(found('Paris met Paris', [start, ['Paris', 'person']])).toEqual([
      [0, 5, 'city'],
      [10, 15, 'person'],
    ]);
    expect(found('Paris met Paris', [['Paris', 'person'], start])).toEqual([
      [10, 15, 'person'],
      [0, 5, 'city'],
    ]);
  });

  it('take an occurrence inside another span only if no other is free', () => {
    expect(
      found('New York, York', [
        ['New York', 'city'],
        ['York', 'city'],
      ]),
    ).toEqual([
      [0, 8, 'city'],
      [10, 14, 'city'],
    ]);
    expect(
      found('New York', [
        ['New York', 'city'],
        ['York', 'town'],
      ]),
    ).toEqual([
      [0, 8, 'city'],
      [4, 8, 'town'],
    ]);
  });

  it('may give one place two labels, but no label twice', () => {
    expect(
      found('Paris', [
        ['Paris', 'city'],
        ['Paris', 'person'],
      ]),
    ).toEqual([
      [0, 5, 'city'],
      [0, 5, 'person'],
    ]);
    expect(() =>
      resolveSpans('Paris', [
        ['Paris', 'city'],
        ['Paris', 'city'],
      ]),
    ).toThrow(SpanError);
  });

  it('are read in code points and returned in UTF-16', () => {
    const text = '🛫 to 🏝 Malmö';
    expect(found(text, [{ text: 'Malmö', label: 'city', start: 7, end: 12 }])).toEqual([[9, 14, 'city']]);
    expect(() => resolveSpans(text, [{ text: 'Malmö', label: 'city', start: 9 }])).toThrow('does not stand at');
  });

  it('have the text of their annotation, and no two pairs of one label share a place', () => {
    const words = fc.array(fc.constantFrom('a', 'ab', '🛫', 'b a', 'é'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(words, fc.infiniteStream(fc.nat()), (parts, picks) => {
        const text = parts.join(' ');
        const entities = parts.filter(() => (picks.next().value ?? 0) % 2 === 0).map((part) => [part, 'x']);
        const spans = resolveSpans(text, entities);
        spans.forEach(({ start, end }, index) => expect(text.slice(start, end)).toBe(entities[index]?.[0]));
        expect(new Set(spans.map(({ start, end }) => `${start} ${end}`)).size).toBe(spans.length);
        // The same spans by their places.
        const codePointIndex = (index: number) => [...text.slice(0, index)].length;
        const placed = spans.map(({ start, end, label }) => ({
          text: text.slice(start, end),
          label,
          start: codePointIndex(start),
          end: codePointIndex(end),
        }));
        expect(resolveSpans(text, placed)).toEqual(spans);
      }),
    );
  });
});
