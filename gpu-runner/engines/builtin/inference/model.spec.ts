import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnsupportedHeadError, type Example, type InferSchema, type LoadedModel } from '../../engine.js';
import { createClassificationTrainer } from '../classification/index.js';
import { entityTrainer } from '../entities/training/trainer.fixture.js';
import type { HeadState, HeadTrainer } from '../head.js';
import { drain } from '../../steps.js';
import { resolveSettings } from '../settings.js';
import { groupEncoder } from '../text-encoder.fixture.js';
import { loadBase, type LoadedBase } from './base.js';
import { createModel } from './model.js';
import { writeTinyBase } from './tiny-base.fixture.js';

const settings = resolveSettings(
  { trainingType: 'full', rows: 40, entityRows: 40, classSizes: [20, 20], multiLabel: false },
  { epochs: 12, seed: 3 },
);

const fruits = ['apple', 'plum', 'pear', 'fig', 'melon', 'cherry'];
const rows: Example[] = fruits.flatMap((fruit): Example[] => [
  {
    text: `please order one ${fruit} today`,
    entities: [{ start: 17, end: 17 + fruit.length, label: 'Fruit_Name' }],
    labels: ['order_item'],
  },
  {
    text: `why was my ${fruit} rotten`,
    entities: [{ start: 11, end: 11 + fruit.length, label: 'Fruit_Name' }],
    labels: ['complain'],
  },
  { text: `hello there ${fruit.length}`, entities: [], labels: ['greet'] },
]);

const trained = (trainer: HeadTrainer): HeadState => {
  for (let step = 0; step < trainer.stepsPerEpoch * settings.epochs; step++) trainer.step();
  return trainer.exportModel();
};

describe('model', () => {
  const directory = mkdtempSync(join(tmpdir(), 'model-'));
  let base: LoadedBase;
  let alone: LoadedModel;
  let adapted: LoadedModel;
  let classifierOnly: LoadedModel;
  let classification: HeadState;
  let entities: HeadState;

  beforeAll(() => {
    writeTinyBase(directory);
    base = loadBase(directory);
    const input = { settings, train: rows, validation: rows, startFrom: null, log: () => undefined };
    entities = trained(entityTrainer(input, base.tagger));
    classification = trained(createClassificationTrainer(input));
    alone = createModel(base, {}, 0);
    adapted = createModel(base, { entities, classification }, 7);
    classifierOnly = createModel(base, { classification }, 7);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const ask = (model: LoadedModel, text: string, schema: InferSchema, threshold = 0.5) => {
    const response = drain(model.infer({ texts: [text], threshold, schema }));
    return { ...response, result: response.results[0]! };
  };
  const found = (model: LoadedModel, text: string, names: readonly string[], threshold = 0.5) => {
    const { result } = ask(model, text, { entities: names.map((name) => ({ name })) }, threshold);
    return Object.fromEntries(
      Object.entries(result.entities!).map(([name, hits]) => [name, hits.map((hit) => hit.text)]),
    );
  };
  const classify = (model: LoadedModel, text: string, labels: readonly string[], more = {}, threshold = 0.5) =>
    ask(model, text, { classifications: [{ task: 'intent', labels, multiLabel: false, ...more }] }, threshold);

  it('loads the base once for all requests', () => {
    expect(loadBase(directory)).toBe(base);
  });

  it('reports its labels and size', () => {
    expect(alone.abilities).toEqual({ entityLabels: null, classLabels: null, multiLabel: false });
    expect(adapted.abilities).toEqual({
      entityLabels: ['Fruit_Name'],
      classLabels: ['complain', 'greet', 'order_item'],
      multiLabel: false,
    });
    expect([alone.byteSize, adapted.byteSize]).toEqual([0, 7]);
  });

  describe('entities', () => {
    it('of a base are returned under the requested name, with a list for every label', () => {
      expect(found(alone, 'Bob lives in Paris now', ['Home City', 'people', 'ip_address'])).toEqual({
        'Home City': ['Paris'],
        people: ['Bob'],
        ip_address: [],
      });
      const { result } = ask(alone, 'Bob lives in Paris now', { entities: [{ name: 'Home City' }] });
      expect(result.entities!['Home City']).toEqual([
        { start: 13, end: 18, label: 'Home City', text: 'Paris', confidence: expect.any(Number) },
      ]);
    });

    it('warns of each label that it cannot resolve, and guesses none', () => {
      const { warnings, result } = ask(alone, 'Bob lives in Paris', { entities: [{ name: 'city' }, { name: 'quux' }] });
      expect(warnings).toEqual([{ code: 'unresolved_label', label: 'quux', message: expect.stringContaining('quux') }]);
      expect(result.entities!['quux']).toEqual([]);
    });

    it('gives two labels of one type the same hits', () => {
      expect(found(alone, 'Anna lives in Rome now', ['town', 'city'])).toEqual({ town: ['Rome'], city: ['Rome'] });
    });

    it('of an adapter are found by its own label first, in any spelling, and by its base for others', () => {
      expect(found(adapted, 'please order one plum today', ['Fruit_Name'])).toEqual({ Fruit_Name: ['plum'] });
      expect(found(adapted, 'please order one plum today', ['fruit name'])).toEqual({ 'fruit name': ['plum'] });
      expect(found(adapted, 'Bob lives in Paris now', ['city', 'Fruit_Name'])).toMatchObject({ city: ['Paris'] });
    });

    it('applies the threshold of the call, or of the label', () => {
      const entities = [{ name: 'city', threshold: 1.01 }, { name: 'person' }];
      const { result } = ask(alone, 'Bob lives in Paris now', { entities });
      expect(result.entities!['city']).toEqual([]);
      expect(result.entities!['person']).toHaveLength(1);
      const strict = ask(alone, 'Bob lives in Paris now', { entities: [{ name: 'city', threshold: 0.01 }] }, 1.01);
      expect(strict.result.entities!['city']).not.toHaveLength(0);
    });

    it('handles labels named like JavaScript properties', () => {
      const { result } = ask(alone, 'Bob', { entities: [{ name: '__proto__' }, { name: 'constructor' }] });
      expect(Object.keys(result.entities!)).toEqual(['__proto__', 'constructor']);
    });
  });

  describe('classification', () => {
    it('answers with exactly the best label, whatever the threshold', () => {
      const { result, warnings } = classify(adapted, 'order one fig', ['order_item', 'greet'], {}, 1);
      expect(result.classifications).toEqual({ intent: [{ label: 'order_item', confidence: expect.any(Number) }] });
      expect(warnings).toEqual([]);
    });

    it('distributes all probability over the requested labels, under the requested names', () => {
      const { result } = classify(adapted, 'hello', ['Order Item', 'COMPLAIN'], { topK: 5 });
      const hits = result.classifications!['intent']!;
      expect(hits.map((hit) => hit.label).sort()).toEqual(['COMPLAIN', 'Order Item']);
      expect(hits[0]!.confidence + hits[1]!.confidence).toBeCloseTo(1);
      expect(hits[0]!.confidence).toBeGreaterThanOrEqual(hits[1]!.confidence);
    });

    it('lists the best K regardless of the threshold', () => {
      const labels = ['order_item', 'greet', 'complain'];
      expect(classify(adapted, 'hello there', labels, { topK: 2 }, 1).result.classifications!['intent']).toHaveLength(
        2,
      );
    });

    it('lists the labels above the threshold for several labels, possibly none', () => {
      const labels = ['order_item', 'greet', 'complain'];
      const chosen = (threshold: number) =>
        classify(adapted, 'why was my fig rotten', labels, { multiLabel: true }, threshold).result.classifications![
          'intent'
        ];
      expect(chosen(0.5)!.map((hit) => hit.label)).toEqual(['complain']);
      expect(chosen(1)).toEqual([]);
      expect(chosen(0)).toHaveLength(3);
      const own = classify(adapted, 'why was my fig rotten', labels, { multiLabel: true, threshold: 0 }, 1);
      expect(own.result.classifications!['intent']).toHaveLength(3);
    });

    it('judges unlearned labels by their names, with a warning and capped confidence', () => {
      const { result, warnings } = classify(adapted, 'I want a refund of my money', ['refund', 'greet', 'weather']);
      expect(result.classifications!['intent']).toEqual([{ label: 'refund', confidence: expect.any(Number) }]);
      expect(result.classifications!['intent']![0]!.confidence).toBeLessThanOrEqual(0.6);
      expect(warnings).toEqual([{ code: 'zero_shot_classification', message: expect.stringContaining('"intent"') }]);
    });

    it('without evidence gives one label at low confidence, and none if several may apply', () => {
      const [hit] = classify(alone, 'zzz', ['refund', 'other', 'weather']).result.classifications!['intent']!;
      expect(hit).toEqual({ label: 'other', confidence: 0.1 });
      expect(
        classify(alone, 'zzz', ['refund', 'weather'], { multiLabel: true }).result.classifications!['intent'],
      ).toEqual([]);
    });

    it('uses the descriptions of unlearned labels, and warns that those of others are ignored', () => {
      const described = (label: string) => ({ descriptions: [{ label, description: 'money that is paid back' }] });
      for (const multiLabel of [false, true]) {
        const asked = { ...described('alpha'), multiLabel };
        const { result, warnings } = classify(alone, 'they paid no money', ['alpha', 'omega'], asked, 0.3);
        expect(result.classifications!['intent']!.map(({ label }) => label)).toEqual(['alpha']);
        expect(warnings.map(({ code }) => code)).toEqual(['zero_shot_classification']);
        expect(warnings[0]!.message).toContain('label names and descriptions');
      }
      expect(classify(adapted, 'order one fig', ['order_item', 'greet'], described('greet')).warnings).toEqual([
        { code: 'unused_description', message: expect.stringContaining('in classifications are not used: of "greet"') },
      ]);
    });

    it('answers several tasks at once', () => {
      const { result } = ask(adapted, 'order one fig', {
        classifications: [
          { task: 'a', labels: ['order_item', 'greet'], multiLabel: false },
          { task: 'b', labels: ['complain', 'greet'], multiLabel: false },
        ],
      });
      expect(Object.keys(result.classifications!)).toEqual(['a', 'b']);
    });
  });

  it('refuses a head that it lacks, by its name', () => {
    expect(() => ask(alone, 'hello', { relations: [{ name: 'likes' }] })).toThrow(
      new UnsupportedHeadError('relations', 'the model has no relations head; it does entities and classifications'),
    );
  });

  it('falls back to its base for a head it was not trained for', () => {
    expect(found(classifierOnly, 'Bob lives in Paris now', ['city'])).toEqual({ city: ['Paris'] });
    expect(ask(classifierOnly, 'x', { entities: [{ name: 'Fruit_Name' }] }).warnings).toHaveLength(1);
  });

  it('answers each text in order, and counts its tokens whatever was requested', () => {
    const texts = ['Bob lives in Paris now', '', 'one\ntwo three'];
    for (const schema of [
      { entities: [{ name: 'city' }] },
      { entities: [{ name: 'quux' }] },
      { classifications: [{ task: 'a', labels: ['x', 'y'], multiLabel: false }] },
    ]) {
      const { inputTokens, results } = drain(alone.infer({ texts, schema, threshold: 0.5 }));
      expect(inputTokens).toEqual([5, 0, 3]);
      expect(results).toHaveLength(3);
    }
  });

  it('warns of ignored descriptions, head by head, and shortens long lists', () => {
    const names = Array.from({ length: 7 }, (_, index) => `city ${index}`);
    const entities = [{ name: 'person' }, ...names.map((name) => ({ name, description: 'a town' }))];
    const unused = (schema: InferSchema) =>
      ask(alone, 'x', schema).warnings.filter(({ code }) => code === 'unused_description');
    expect(unused({ entities })).toEqual([
      { code: 'unused_description', message: expect.stringMatching(/in entities .*"city 4" and 2 more the model/) },
    ]);
    expect(unused({ entities: [{ name: 'person' }] })).toEqual([]);
  });

  it('reports a truncated text, unless only white space was cut', () => {
    const classes = { classifications: [{ task: 'a', labels: ['x', 'y'], multiLabel: false }] };
    const truncated = (text: string, schema: InferSchema) => ask(alone, text, schema).result.truncated;
    const letters = 'a'.repeat(20_000);
    expect([letters, `${letters} \n `, `${letters} \n b`].map((text) => truncated(text, classes))).toEqual([
      ...[false, false, true],
    ]);
    const entities = { entities: [{ name: 'city' }] };
    const words = 'a '.repeat(50_000);
    expect([words, `${words} \n `, `${words} b`].map((text) => truncated(text, entities))).toEqual([
      ...[false, false, true],
    ]);
  });

  describe('evaluation', () => {
    it('of a trained model finds the labels that it learned', () => {
      const { figures, predictions } = adapted.evaluate(rows);
      expect(figures.f1).toBeGreaterThan(0.95);
      expect(predictions).toHaveLength(rows.length);
      const confidences = { entityConfidences: [expect.any(Number)], labelConfidences: [expect.any(Number)] };
      expect(predictions[0]).toEqual({ ...rows[0], ...confidences });
    });

    it('judges only the heads that a row is labelled for', () => {
      const { predictions } = adapted.evaluate(rows.map(({ text, labels }) => ({ text, labels: labels! })));
      expect(predictions[0]).not.toHaveProperty('entities');
    });

    it('matches labels in other spellings', () => {
      const renamed = rows.map(({ text, labels }) => ({
        text,
        labels: labels!.map((label) => label.replace('_', ' ')),
      }));
      expect(adapted.evaluate(renamed).figures.accuracy).toBeGreaterThan(0.95);
    });

    it('of a base uses its types for entities, and names for classes', () => {
      const gold: Example[] = [
        { text: 'Bob lives in Paris now', entities: [{ start: 13, end: 18, label: 'town' }], labels: ['paris'] },
        { text: 'Anna lives in Rome now', entities: [{ start: 14, end: 18, label: 'town' }], labels: ['rome'] },
      ];
      expect(alone.evaluate(gold).figures).toMatchObject({ f1: 1, accuracy: 1 });
    });
  });

  describe('on a base with an encoder', () => {
    const groups = [
      ['refund', 'money', 'back'],
      ['delivery', 'parcel', 'late'],
    ];
    const task = (name: string, labels: readonly string[], multiLabel = false) => ({ task: name, labels, multiLabel });
    const withEncoder = (read?: string[]): LoadedBase => ({ ...base, encoder: groupEncoder(groups, read) });

    describe('that judges labels of entities', () => {
      const asked: (readonly string[])[] = [];
      const takenPlaces: number[] = [];
      /** Finds "Anna" as each first label, and "now" as each last one. */
      const zeroShot: LoadedBase['zeroShot'] = {
        decisionPoint: 0.25,
        *find(text, labels, thresholdOf, taken) {
          yield;
          asked.push(labels);
          takenPlaces.push(taken.length);
          const hits = [['Anna', labels[0]!, 0.9] as const, ['now', labels.at(-1)!, 0.3] as const]
            .map(([word, label, confidence]) => ({ word, start: text.indexOf(word), label, confidence }))
            .filter(({ label, confidence }) => confidence >= thresholdOf(label))
            .map(({ word, start, ...hit }) => ({ ...hit, start, end: start + word.length, text: word }));
          return { hits, inputTokens: 5, truncated: false };
        },
      };
      const judging = () => createModel({ ...base, zeroShot }, {}, 0);
      const found = (names: readonly string[], more: Partial<InferSchema> = {}, threshold: number | null = null) => {
        const schema = { entities: names.map((name) => ({ name })), ...more };
        const { results, warnings } = drain(judging().infer({ texts: ['Anna lives in Paris now'], threshold, schema }));
        const texts = Object.entries(results[0]!.entities!).map(([label, hits]) => [
          label,
          ...hits.map((hit) => hit.text),
        ]);
        return { texts, warnings };
      };

      it('answers names of its types as ever', () => {
        asked.length = 0;
        expect(found(['person', 'town']).texts).toEqual([
          ['person', 'Anna'],
          ['town', 'Paris'],
        ]);
        expect(asked).toEqual([]);
      });

      it('judges narrower and unknown labels and those that share a type with them, where the text is free', () => {
        const { texts, warnings } = found(['politician', 'city', 'person', 'protein']);
        expect(texts).toEqual([['politician', 'Anna'], ['city', 'Paris'], ['person'], ['protein', 'now']]);
        expect(asked.at(-1)).toEqual(['politician', 'person', 'protein']);
        expect(takenPlaces.at(-1)).toBe(1);
        expect(warnings).toMatchObject([{ code: 'unresolved_label', label: 'protein' }]);
        expect(warnings[0]!.message).toContain('by the meaning of its name');
      });

      it('judges anywhere if hits may overlap', () => {
        found(['protein', 'city'], { flatNer: false });
        expect(takenPlaces.at(-1)).toBe(0);
      });

      it('keeps to the threshold of a request', () => {
        expect(found(['protein'], {}, 0.5).texts).toEqual([['protein', 'Anna']]);
      });

      it('judges nothing under an adapter that learned entities', () => {
        asked.length = 0;
        const model = createModel({ ...base, zeroShot }, { entities }, 7);
        const { warnings } = ask(model, 'Anna lives in Paris now', { entities: [{ name: 'protein' }] });
        expect(warnings[0]!.message).toContain('Train a model');
        expect(asked).toEqual([]);
      });
    });

    it('chooses by meaning a label that shares no word with the text, and says so', () => {
      const schema = { classifications: [{ ...task('intent', ['refund', 'delivery']), topK: 2 }] };
      const { result, warnings } = ask(createModel(withEncoder(), {}, 0), 'the parcel was late', schema);
      const hits = result.classifications!['intent']!;
      expect(hits.map(({ label }) => label)).toEqual(['delivery', 'refund']);
      expect(hits[0]!.confidence + hits[1]!.confidence).toBeCloseTo(1, 10);
      expect(warnings).toMatchObject([{ code: 'zero_shot_classification' }]);
      expect(warnings[0]!.message).toContain('by the meaning of the label names');
    });

    it('judges several labels at once by their names', () => {
      const schema = { classifications: [task('topics', ['refund', 'delivery'], true)] };
      const { result } = ask(createModel(withEncoder(), {}, 0), 'a refund', schema);
      expect(result.classifications!['topics']!.map(({ label }) => label)).toEqual(['refund']);
    });

    it.each([false, true])(
      'gives "none of the above" to texts that are near no label (several labels: %s)',
      (multiLabel) => {
        const model = createModel(withEncoder(), {}, 0);
        const chosen = (
          text: string,
          none: string,
          descriptions: readonly { label: string; description: string }[] = [],
        ) => {
          const classes = { ...task('intent', ['refund', none, 'delivery'], multiLabel), descriptions };
          const { result } = ask(model, text, { classifications: [classes] });
          return result.classifications!['intent']!.map(({ label }) => label);
        };
        for (const none of ['other', 'none of the above']) {
          expect(chosen('music', none)).toEqual([none]);
          expect(chosen('a parcel', none)).toEqual(['delivery']);
          expect(chosen(`${none}: parcel, late delivery`, none)).toEqual(['delivery']);
        }
        const descriptions = [{ label: 'other', description: 'thanks' }];
        expect(chosen('thanks', 'other', descriptions)).toEqual(['other']);
        expect(chosen('a parcel', 'other', descriptions)).toEqual(['delivery']);
      },
    );

    it('uses the descriptions of labels', () => {
      const described = (labels: readonly string[], multiLabel: boolean): InferSchema => ({
        classifications: [
          {
            ...task('kind', labels, multiLabel),
            descriptions: [{ label: 'alpha', description: 'money back, a refund' }],
          },
        ],
      });
      const model = createModel(withEncoder(), {}, 0);
      for (const multiLabel of [false, true]) {
        const { result, warnings } = ask(model, 'money back', described(['alpha', 'omega'], multiLabel));
        expect(result.classifications!['kind']!.map(({ label }) => label)).toEqual(['alpha']);
        expect(warnings.map(({ code }) => code)).toEqual(['zero_shot_classification']);
        expect(warnings[0]!.message).toContain('label names and descriptions');
      }
    });

    it('gives any number of labels if several may apply, with higher confidence to nearer ones', () => {
      const groups = ['refund', 'delivery', 'weather'];
      const found = (text: string, labels = groups) =>
        ask(createModel(withEncoder(), {}, 0), text, {
          classifications: [task('topics', labels, true)],
        }).result.classifications!['topics']!.map(({ label }) => label);
      expect(found('money back')).toEqual(['refund']);
      expect(found('money back for the late parcel').toSorted()).toEqual(['delivery', 'refund']);
      expect(found('money back for the late late parcel')[0]).toBe('delivery');
      expect(found('hello there', ['refund', 'delivery'])).toEqual([]);
    });

    it('handles tasks named like JavaScript properties', () => {
      const names = ['constructor', 'toString', '__proto__'];
      for (const multiLabel of [true, false]) {
        const classifications = names.map((name) => task(name, ['refund', 'delivery'], multiLabel));
        const { result } = ask(createModel(withEncoder(), {}, 0), 'a refund', { classifications });
        expect(Object.entries(result.classifications!).map(([name, [hit]]) => [name, hit!.label])).toEqual(
          names.map((name) => [name, 'refund']),
        );
      }
    });

    it('reports a text as truncated if its end was not read', () => {
      const schema = { classifications: [task('intent', ['refund', 'delivery'])] };
      const truncated = (text: string) => ask(createModel(withEncoder(), {}, 0), text, schema).result.truncated;
      expect([truncated('late'), truncated('late '.repeat(60))]).toEqual([false, true]);
    });

    it('reads at most 256 characters of a label', () => {
      const read: string[] = [];
      ask(createModel(withEncoder(read), {}, 0), 'x', { classifications: [task('one', ['a'.repeat(1_000)])] });
      expect(read).toEqual(['a'.repeat(256), 'x']);
    });

    it("encodes a label's name once for all models on it", () => {
      const read: string[] = [];
      const shared = withEncoder(read);
      for (const model of [createModel(shared, {}, 0), createModel(shared, { classification }, 7)])
        ask(model, 'x', { classifications: [task('intent', ['refund', 'delivery'])] });
      expect(read).toEqual(['refund', 'delivery', 'x', 'x']);
    });

    it('leaves learned labels to their head, and judges others by their names', () => {
      const model = createModel(withEncoder(), { classification }, 7);
      const classifications = [task('learned', ['complain', 'greet']), task('other', ['refund', 'delivery'])];
      const { warnings } = ask(model, 'why was my plum rotten', { classifications });
      expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('"other" is judged')]);
    });
  });
});
