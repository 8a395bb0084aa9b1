import type { Json } from '#domain/json.js';
import type { Template } from '../tasks/template.js';
import { labelDescriptions } from './descriptions.js';
import type { AnswerMapping } from './mapping.js';

const labels = (...names: readonly string[]): AnswerMapping => ({
  ...{ kind: 'labels', separator: null, before: '', after: '' },
  spellings: Object.fromEntries(names.map((name) => [name.toLowerCase().replaceAll('_', ' '), name])),
});
const QUEUES = labels('billing', 'lost_parcel', 'other');
const prompt = (text: string, format: Json = null): Template => ({
  ...{ tools: [], format },
  parts: [{ role: 'system', chunks: [text, ''], holes: [{ kind: 'text', json: false }] }],
});

const DESCRIBED = {
  billing: 'questions about invoices, and refunds',
  lost_parcel: 'a parcel never came',
  other: 'everything else',
};

describe('what a prompt says of its classes', () => {
  it.each([
    [
      'a list',
      'Sort mails:\n- billing: questions about invoices, and refunds\n- lost parcel: a parcel never came.\n- other: everything else\nAnswer with one.',
    ],
    [
      'a list with marks',
      '* **billing** - questions about invoices, and refunds\n* **lost_parcel** - a parcel never came\n* **other** - everything else',
    ],
    [
      'numbers and quotes',
      '1. "billing" = questions about invoices, and refunds\n2. "lost_parcel" = a parcel never came\n3. "other" = everything else',
    ],
    [
      'a sentence',
      'Queues are billing: questions about invoices, and refunds; lost parcel: a parcel never came; and other: everything else.',
    ],
    [
      'brackets',
      'One of billing (questions about invoices, and refunds), lost parcel (a parcel never came) or other (everything else).',
    ],
    [
      'a table',
      '| queue | for |\n| --- | --- |\n| billing | questions about invoices, and refunds |\n| lost_parcel | a parcel never came |\n| other | everything else |',
    ],
  ])('is read from %s', (_, text) => {
    expect(labelDescriptions(prompt(text), QUEUES)).toEqual(DESCRIBED);
  });

  it('is read from the descriptions of a schema', () => {
    const schema = {
      type: 'object',
      properties: {
        queue: { enum: ['billing', 'other'], description: 'billing: about invoices\nother: everything else' },
      },
    };
    expect(labelDescriptions(prompt('Sort.', schema), QUEUES)).toEqual({
      ...{ billing: 'about invoices', other: 'everything else' },
    });
  });

  it.each([
    ['names alone', 'Answer with one word: billing, lost parcel or other.'],
    [
      'examples',
      'Text: I paid twice\nQueue: billing\n\nText: where is it?\nQueue: lost parcel\n\nText: hello\nQueue: other',
    ],
    ['a list of names', 'Queues:\n- billing\n- lost_parcel\n- other\n\nAnswer: the queue alone'],
    [
      'examples with reasons',
      'Text: I paid twice\nQueue: billing - because he paid\nText: hi\nQueue: other - because it is short',
    ],
    ['one of them alone', 'Sort into billing, lost parcel and other. billing: questions about invoices.'],
  ])('is nothing where there are %s', (_, text) => {
    expect(labelDescriptions(prompt(text), QUEUES)).toEqual({});
  });

  it('is not taken from words that begin alike, and the first counts', () => {
    const text = 'bill: a paper\nbillings: many\nA: the best mark\nB: the next\nA: again';
    expect(labelDescriptions(prompt(text), labels('A', 'B', 'billing'))).toEqual({ A: 'the best mark', B: 'the next' });
  });
});
