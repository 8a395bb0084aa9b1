import { exampleOf } from './examples.js';

describe('an example', () => {
  it('counts an annotation once that its row lists twice at the same place', () => {
    const bob = { text: 'Bob', label: 'person', start: 8 };
    const met = { met: { head: 'Ada', tail: 'Bob' } };
    const example = exampleOf({
      text: 'Ada met Bob.',
      entities: [bob, bob],
      labels: ['news', 'news'],
      json_structures: [{ meeting: { who: 'Ada' } }, { meeting: { who: 'Ada' } }],
      relations: [met, met],
    })!;
    expect(example.entities).toEqual([{ start: 8, end: 11, label: 'person' }]);
    expect(example.labels).toEqual(['news']);
    expect(example.structures).toHaveLength(1);
    expect(example.relations).toHaveLength(1);
  });

  it('keeps two equal records if the text contains two', () => {
    const order = { order: { what: 'tea' } };
    const { structures } = exampleOf({ text: 'a tea and a tea', json_structures: [order, order] })!;
    expect(structures!.map(({ fields }) => fields[0]!.values[0]!.start)).toEqual([2, 12]);
  });
});
