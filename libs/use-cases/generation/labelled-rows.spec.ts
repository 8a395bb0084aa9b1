import { entityRow } from './labelled-rows.js';

const hit = (text: string, start: number, confidence = 0.9) => ({
  text,
  confidence,
  start,
  end: start + [...text].length,
});

describe("a training row made of a model's predictions", () => {
  it('keeps the most confident of overlapping hits', () => {
    const found = {
      entities: { city: [hit('York', 4, 0.6)], state: [hit('New York', 0, 0.8)], person: [hit('Ann', 9)] },
    };
    expect(entityRow('New York Ann', found)['entities']).toEqual([
      ['New York', 'state'],
      ['Ann', 'person'],
    ]);
  });

  it("adds a span's offsets, in code points, if its text would be ambiguous", () => {
    const found = { entities: { city: [hit('Paris', 14)] } };
    expect(entityRow('👩 Paris Hilton, Paris', { entities: { city: [hit('Paris', 16)] } })['entities']).toEqual([
      { text: 'Paris', label: 'city', start: 16, end: 21 },
    ]);
    expect(entityRow('👩‍🚀 flew to 🌍 Paris', found)['entities']).toEqual([['Paris', 'city']]);
  });

  it('keeps 20,000 hits in a long text', () => {
    const places = Array.from({ length: 20_000 }, (_, index) => hit('Paris', 8 * index));
    const { entities } = entityRow('Paris 👩 '.repeat(20_000), { entities: { city: places } });
    expect((entities as object[]).length).toBe(20_000);
  });
});
