import { schemeOf } from '../scheme/scheme.js';
import { fromOutput, schemeIn, toOutput } from './output.js';

const TEXT = 'Then 🙂 Maria Rossi left Acme for Lyon.';
const hit = (text: string, start: number) => ({ text, start, end: start + text.length });

describe('an answer in the span editor', () => {
  const scheme = schemeOf({
    entities: ['person', 'city'],
    classifications: [{ task: 'topic', labels: ['travel', 'work'] }],
    structures: { trip: ['traveller::str', { name: 'stops', dtype: 'list' }, 'kind::str::[private|business]'] },
    relations: ['left'],
  })!;
  const output = {
    entities: { person: [hit('Maria Rossi', 7)], city: [hit('Lyon', 33)] },
    topic: 'travel',
    trip: [{ traveller: hit('Maria Rossi', 7), stops: [hit('Lyon', 33)], kind: 'business' }],
    relation_extraction: { left: [{ head: hit('Maria Rossi', 7), tail: hit('Acme', 24) }] },
  };

  it('is returned as it was loaded, with the offsets that the API counts in code points', () => {
    const annotation = fromOutput(TEXT, output, scheme);
    expect(annotation.spans.map(({ start, end }) => TEXT.slice(start, end))).toEqual(['Maria Rossi', 'Lyon']);
    expect(toOutput(TEXT, annotation, scheme, output)).toEqual(output);
  });

  it('keeps a choice of which the schema is not known', () => {
    const own = { order: [{ route: 'oral' }] };
    const known = schemeIn(own);
    expect(toOutput('aspirin PO', fromOutput('aspirin PO', own, known), known, own)).toEqual(own);
  });

  it('lists a label without spans as empty, and omits a task without a label', () => {
    const blank = fromOutput(TEXT, {}, scheme);
    expect(toOutput(TEXT, blank, scheme, output)).toEqual({
      entities: { person: [], city: [] },
      trip: [],
      relation_extraction: { left: [] },
    });
  });

  it('of a trained model without a schema offers all classes and fields that the model knows', () => {
    const own = { entities: { person: [] }, classification: { label: 'work', confidence: 0.9 }, trip: [] };
    const tasks = [{ name: 'tone', labels: ['glad'], multiple: true }];
    expect(schemeIn({ tone: [], trip: [] }, [], tasks)).toMatchObject({ tasks, structures: [{ name: 'trip' }] });
    expect(schemeIn(own, ['person', 'travel', 'work', 'trip.stops'])).toMatchObject({
      entities: [{ name: 'person' }],
      tasks: [{ name: 'classification', labels: ['travel', 'work'], multiple: false }],
      structures: [{ name: 'trip', fields: [{ name: 'stops', isList: false }] }],
    });
  });
});

describe('the schema of a recorded call', () => {
  it.each([
    [['a', { name: 'b', description: 'c' }]],
    [{ entities: { a: null, b: 'c' } }],
    [{ entities: { a: {}, b: { description: 'c' } } }],
  ])('is read in any form: %j', (schema) => {
    expect(schemeOf(schema)!.entities).toEqual([{ name: 'a' }, { name: 'b', description: 'c' }]);
  });

  it("is null if it is not an encoder's", () => {
    for (const schema of [undefined, null, 'person', { type: 'json_schema' }]) expect(schemeOf(schema)).toBeNull();
  });
});
