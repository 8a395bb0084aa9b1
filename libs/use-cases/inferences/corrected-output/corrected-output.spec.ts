import { InvalidError } from '#domain/errors.js';
import type { Json } from '#domain/json.js';
import type { CallInHistory } from './asked.js';
import { checkCorrectedOutput } from './corrected-output.js';

const TEXT = 'Maria 🙂 flew to Lima with Marianne.';
const SCHEMA = {
  entities: ['person', { name: 'city', dtype: 'str' }],
  classifications: [
    { task: 'topic', labels: ['travel', 'work'] },
    { task: 'mood', labels: ['glad', 'sad', 'calm'], multi_label: true },
    { task: 'rank', labels: ['a', 'b'], top_k: 2 },
  ],
};
const call = (more: Partial<CallInHistory> = {}): CallInHistory => ({
  ...{ task: 'schema', input: { text: TEXT, schema: SCHEMA }, output: {}, ownLabels: null },
  ...more,
});
const problems = (corrected: unknown, of = call(), newLabels: readonly string[] = []): string[] => {
  try {
    checkCorrectedOutput(corrected as Json, of, 'corrected_output', newLabels);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidError);
    return (error as InvalidError).fields.map(({ path, message }) => `${path.slice(2).join('.')}: ${message}`);
  }
};

describe('a corrected output of an encoder', () => {
  it.each<[string, unknown]>([
    ['texts', { entities: { person: ['Maria', 'Marianne'], city: ['Lima'] } }],
    ['none of a label, and one label left out', { entities: { person: [] } }],
    ['no entities at all', { entities: {} }],
    ['texts with confidence', { entities: { person: [{ text: 'Maria', confidence: 0.5 }] } }],
    ['spans in code points', { entities: { city: [{ text: 'Lima', start: 16, end: 20 }] } }],
    ['a start alone', { entities: { city: [{ text: 'Lima', start: 16 }] } }],
    ['a single value for a scalar field', { entities: { city: 'Lima' } }],
    ['null for a scalar field', { entities: { city: null } }],
    ['entities as /gliner-2 has them unformatted', { entities: [{ person: ['Maria'] }] }],
    ['one label', { topic: 'work' }],
    ['one label with confidence', { topic: { label: 'work', confidence: 1 } }],
    ['a pair of label and confidence', { topic: ['work', 0.9] }],
    ['several labels', { mood: ['glad', { label: 'calm', confidence: 0.2 }] }],
    ['none of several labels', { mood: [] }],
    ['the best ones', { rank: [{ label: 'b', confidence: 0.9 }] }],
    ['every head', { entities: { person: ['Maria'] }, topic: 'travel', mood: ['sad'], rank: [] }],
  ])('may be %s', (_, corrected) => {
    expect(problems(corrected)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['a text', 'work', ': must be an object with entities, topic, mood, rank'],
    ['nothing', {}, ': must be an object with entities, topic, mood, rank'],
    ['a list for one text', [{ topic: 'work' }], ': must be an object with'],
    ['a head that was not asked for', { person: [] }, 'person: was not asked for; the call asked for entities, topic'],
    ['a label that was not asked for', { entities: { animal: [] } }, 'entities.animal: is not a label that the call'],
    ['an inherited name', { entities: { constructor: [] } }, 'entities.constructor: is not a label that the call'],
    [
      'entities as pairs',
      { entities: [['Maria', 'person']] },
      'entities: must be an object with a list for each label',
    ],
    ['entities without a list', { entities: { person: 'Maria' } }, 'entities.person: must be a list, not a string'],
    ['null for a list', { entities: { person: null } }, 'entities.person: must be a list, not null'],
    [
      'an entity that is a number',
      { entities: { person: [7] } },
      'entities.person.0: must be a string, or {text, start',
    ],
    ['an empty entity', { entities: { person: [''] } }, 'entities.person.0: must be a part of'],
    ['an entity without a text', { entities: { person: [{ start: 0 }] } }, 'entities.person.0.text: is required'],
    ['an entity of another text', { entities: { person: ['Bob'] } }, 'entities.person.0: "Bob" does not occur in'],
    ['another letter case', { entities: { person: [{ text: 'maria' }] } }, 'entities.person.0.text: "maria" does not'],
    [
      'offsets in UTF-16 units',
      { entities: { city: [{ text: 'Lima', start: 17, end: 21 }] } },
      'entities.city.0.start: "Lima" does not stand from 17 to 21',
    ],
    [
      'an end that is not the text’s',
      { entities: { city: [{ text: 'Lima', start: 16, end: 21 }] } },
      'entities.city.0.start: "Lima" does not stand from 16 to 21',
    ],
    [
      'an end before any start',
      { entities: { city: [{ text: 'Lima', end: 1 }] } },
      'entities.city.0.start: "Lima" does',
    ],
    [
      'a negative start',
      { entities: { city: [{ text: 'Lima', start: -1 }] } },
      'entities.city.0.start: must be from 0',
    ],
    [
      'half an offset',
      { entities: { city: [{ text: 'Lima', start: 0.5 }] } },
      'entities.city.0.start: must be a whole',
    ],
    [
      'a confidence of 2',
      { entities: { person: [{ text: 'Maria', confidence: 2 }] } },
      'entities.person.0.confidence: ',
    ],
    [
      'an unknown field',
      { entities: { person: [{ text: 'Maria', label: 'x' }] } },
      'entities.person.0.label: is unknown',
    ],
    ['a class that was not asked for', { topic: 'sport' }, 'topic: "sport" is not a label that the call asked for'],
    ['a class of another task', { topic: { label: 'glad' } }, 'topic.label: "glad" is not a label that the call asked'],
    ['a list for one class', { topic: ['work'] }, 'topic: must be a label, or {label, confidence}, not a list'],
    ['a class for a list', { mood: 'glad' }, 'mood: must be a list of labels, not a string'],
    ['a class that is null', { topic: null }, 'topic: must be a label, or {label, confidence}, not null'],
    ['a wrong one of several', { mood: ['glad', 'mad'] }, 'mood.1: "mad" is not a label'],
  ])('may not be %s', (_, corrected, message) => {
    expect(problems(corrected).map((each) => each.slice(0, message.length))).toEqual([message]);
  });

  it('may have unrequested labels in any head if they are declared as new', () => {
    const corrected = { entities: { airline: ['Marianne'] }, topic: 'leisure', mood: ['glad', 'keen'] };
    expect(problems(corrected, call(), ['airline', 'leisure', 'keen'])).toEqual([]);
    expect(problems(corrected, call(), ['airline', 'keen'])[0]).toMatch(/^topic: "leisure" is not a label/);
    const related = call({ input: { text: TEXT, schema: { relations: ['likes'] } } });
    const found = { relation_extraction: { knows: [['Maria', 'Marianne']] } };
    expect(problems(found, related)[0]).toMatch(
      /^relation_extraction.knows: is not a relation .* is new in new_labels$/,
    );
    expect(problems(found, related, ['knows'])).toEqual([]);
  });

  it('may declare as new only labels that it contains and that were not requested', () => {
    expect(problems({ topic: 'work' }, call(), ['leisure'])).toEqual([
      '0: "leisure" is no new label in corrected_output; name labels of it that the call did not ask for',
    ]);
    expect(problems({ topic: 'work' }, call(), ['work'])[0]).toMatch(/^0: "work" is no new label/);
  });

  it('has one result per text of a batch', () => {
    const batch = call({ input: { text: ['Ada', 'Bob'], schema: ['person'] }, output: [{}, {}] });
    expect(problems([{ entities: { person: ['Ada'] } }, { entities: { person: [] } }], batch)).toEqual([]);
    expect(problems([{ entities: { person: ['Ada'] } }], batch)).toEqual([
      ': must be a list of 2 results, one for each text of the call (got 1)',
    ]);
    expect(problems({ entities: { person: [] } }, batch)[0]).toMatch(/^: must be a list of 2 results/);
    expect(problems([{ entities: { person: ['Bob'] } }, { entities: { person: [] } }], batch)[0]).toMatch(
      /^0\.entities\.person\.0: "Bob" does not occur/,
    );
  });

  it.each<[string, Partial<CallInHistory>]>([
    ['a list of labels', { input: { text: TEXT, schema: ['person'] } }],
    ['a map of labels', { input: { text: TEXT, schema: { entities: { person: 'a name' } } } }],
    ['a map of /gliner-2', { input: { text: TEXT, schema: { person: 'a name' } }, task: 'extract_entities' }],
    [
      'a chat',
      {
        input: {
          messages: [
            { role: 'user', content: TEXT },
            { role: 'assistant', content: 'Bob' },
          ],
          schema: ['person'],
        },
      },
    ],
    [
      'parts of a message',
      { input: { messages: [{ role: 'user', content: [{ type: 'text', text: TEXT }] }], schema: ['person'] } },
    ],
    ['a prompt', { input: { prompt: TEXT, schema: ['person'] } }],
    [
      'Responses',
      { input: { input: TEXT, text: { format: { type: 'json_schema', schema: { entities: ['person'] } } } } },
    ],
    [
      'items of Responses',
      { input: { input: [{ role: 'user', content: [{ type: 'input_text', text: TEXT }] }], schema: ['person'] } },
    ],
  ])('is checked against the schema and the text of %s', (_, more) => {
    const of = call({ task: 'extract_entities', ...more });
    expect(problems({ entities: { person: ['Maria'] } }, of)).toEqual([]);
    expect(problems({ entities: { person: ['Bob'] } }, of)[0]).toMatch(/does not occur/);
    expect(problems({ entities: { city: [] } }, of)[0]).toMatch(/not a label/);
  });

  it('is checked against the categories of /gliner-2', () => {
    const of = call({ task: 'classify_text', input: { text: TEXT, schema: { categories: ['x', 'y'] } } });
    expect(problems({ classification: 'x' }, of)).toEqual([]);
    expect(problems({ classification: 'z' }, of)[0]).toMatch(/^classification: "z" is not a label/);
  });

  it('is checked against a trained model’s own heads and labels if no schema was sent', () => {
    const own = call({
      input: { text: 'Is order 90210 in Ghent?' },
      output: { entities: { order_number: [], city: [] }, classification: { label: 'other', confidence: 0.4 } },
      ownLabels: ['city', 'delivery', 'order_number', 'other'],
    });
    const right = { entities: { order_number: ['90210'], city: ['Ghent'] }, classification: 'delivery' };
    expect(problems(right, own)).toEqual([]);
    expect(problems({ classification: 'unheard of' }, own)[0]).toMatch(/is not a label/);
    expect(problems({ entities: { person: [] } }, own)[0]).toMatch(/is not a label/);
    expect(problems({ topic: 'delivery' }, own)[0]).toMatch(/was not asked for/);
    const failed = { ...own, output: null };
    expect(problems(right, failed)).toEqual([]);
    const onlyEntities = { ...own, output: { entities: {} } };
    expect(problems({ classification: 'delivery' }, onlyEntities)[0]).toMatch(/was not asked for/);
  });

  it('may have another choice where a trained model’s own answer has one', () => {
    const own = call({
      input: { text: 'aspirin PO' },
      output: { order: [{ drug: 'aspirin', route: 'oral' }] },
      ownLabels: ['order.drug', 'order.route'],
    });
    expect(problems({ order: [{ drug: 'aspirin', route: 'topical' }] }, own)).toEqual([]);
    expect(problems({ order: [{ drug: 'aspirin', route: { text: 'topical', confidence: 1 } }] }, own)).toEqual([]);
    const asked = {
      ...own,
      input: { text: 'aspirin PO', schema: { structures: { order: ['drug::str', 'route::str'] } } },
    };
    expect(problems({ order: [{ route: 'topical' }] }, asked)).toEqual([]);
    expect(problems({ order: [{ route: { value: 'oral', text: 'PO' } }] }, own)[0]).toMatch(
      /^order\.0\.route\.value: is unknown/,
    );
    expect(problems({ order: [{ drug: 'insulin' }] }, own)[0]).toMatch(/^order\.0\.drug: .*not occur/);
    expect(problems({ order: [{ route: 3 }] }, own)[0]).toMatch(/^order\.0\.route: must be the choice/);
  });

  it('is checked with a bounded number of passes over a long text', () => {
    const long = call({ input: { text: `${'a'.repeat(5_000_000)}b`, schema: ['x'] } });
    expect(problems({ entities: { x: ['ab'] } }, long)).toEqual([]);
    const many = problems({ entities: { x: Array.from({ length: 2_000 }, (_, n) => `${'a'.repeat(n)}b`) } }, long);
    expect(many).toHaveLength(100);
    const placed = Array.from({ length: 2_000 }, (_, n) => ({ text: 'a', start: 4_900_000 + n }));
    expect(problems({ entities: { x: placed } }, long)).toEqual([]);
    expect(many[0]).toMatch(/too many entities for so long a text/);
  });
});

describe('a corrected output of a decoder', () => {
  const generated = (output: Json) => call({ task: 'generate', input: { messages: [] }, output });
  const message = { role: 'assistant', content: 'Hi', refusal: null };

  it.each<[string, Json, unknown]>([
    ['a text', 'Hi', 'Hello'],
    ['the completion', 'Hi', { completion: 'Hello' }],
    ['a text for a message', message, 'Hello'],
    ['a message', message, { role: 'assistant', content: 'Hello' }],
    ['a call of a tool', message, { role: 'assistant', content: null, tool_calls: [{}] }],
    ['a message for a failed call', null, { role: 'assistant', content: 'Hello' }],
    ['items of Responses', { status: 'completed', output: [] }, { output: [{ type: 'message' }] }],
    ['a list for several choices', ['Hi', 'Ho'], ['Hello', 'Ho']],
  ])('may be %s', (_, output, corrected) => {
    expect(problems(corrected, generated(output))).toEqual([]);
  });

  it.each<[string, Json, unknown, RegExp]>([
    ['an empty text', 'Hi', '', /not empty/],
    ['a number', 'Hi', 7, /must be a string, or an object/],
    ['nothing', message, {}, /must be a string, or an object/],
    ['entities', message, { entities: {} }, /^entities: is no field of such an answer/],
    ['a message for a text', 'Hi', { role: 'assistant' }, /^role: is no field/],
    ['a list for one choice', 'Hi', ['Hello'], /must be a string/],
    ['a message of another role', message, { role: 'user', content: 'Hello' }, /^role: must be assistant/],
    [
      'a message whose content is a number',
      message,
      { content: 7 },
      /^content: must be a string, or a list of objects/,
    ],
    ['parts that are texts', message, { content: ['Hello'] }, /^content\.0: must be an object/],
    ['calls of tools as a text', message, { tool_calls: 'find' }, /^tool_calls: must be a list of objects/],
    ['items that are texts', { status: 'completed', output: [] }, { output: ['Hello'] }, /^output\.0: must be/],
    ['one of several choices', ['Hi', 'Ho'], ['Hello'], /must be a list of 2/],
  ])('may not be %s', (_, output, corrected, message) => {
    expect(problems(corrected, generated(output))[0]).toMatch(message);
  });

  it('is refused for an embedder', () => {
    expect(problems([0.1], call({ task: 'embed' }))[0]).toMatch(/must be left out/);
  });
});
