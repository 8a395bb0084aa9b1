import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Example, InferSchema, LoadedModel } from '../../engine.js';
import type { EntityHead } from '../entities/index.js';
import { entityTrainer, layeredTrainer } from '../entities/training/trainer.fixture.js';
import type { HeadState, HeadTrainer, HeadTrainerInput } from '../head.js';
import { drain } from '../../steps.js';
import { resolveSettings } from '../settings.js';
import { loadBase, type LoadedBase } from './base.js';
import { planEntities } from './entity-answers.js';
import { createModel } from './model.js';
import { writeTinyBase } from './tiny-base.fixture.js';

const settings = resolveSettings(
  { trainingType: 'full', rows: 60, entityRows: 60, classSizes: [], multiLabel: false },
  { epochs: 10, seed: 3 },
);
const towns = ['Lisbon', 'Ghent', 'Porto', 'Turin', 'Malaga', 'Nantes', 'Kyoto', 'Davos', 'Tampere', 'Zadar'];

function row(text: string, ...spans: readonly (readonly [text: string, label: string])[]): Example {
  const entities = spans.map(([words, label]) => {
    const start = text.indexOf(words);
    return { start, end: start + words.length, label };
  });
  return { text, entities };
}

const inTown = (town: string): Example[] => [
  row(`the University of ${town} opens today`, [`University of ${town}`, 'school'], [town, 'town']),
  row(`she studies at the University of ${town}`, [`University of ${town}`, 'school'], [town, 'town']),
  row(`a train to ${town} leaves soon`, [town, 'town']),
  row(`the ${town} Football Club lost again`, [`${town} Football Club`, 'club'], [town, 'town']),
  row(`rain in ${town} again`, [town, 'town']),
  row('nothing opens today'),
];
const rows = towns.flatMap(inTown);
/** Rows with the longest of each group of spans, as a model without layers learns them. */
const flatRows = rows.map(({ text, entities = [] }) => ({ text, entities: entities.slice(0, 1) }));

describe('nested spans', () => {
  const directory = mkdtempSync(join(tmpdir(), 'nested-'));
  const lines: string[] = [];
  let base: LoadedBase;
  let state: HeadState;
  let model: LoadedModel;

  const input = (train: readonly Example[], more: Partial<HeadTrainerInput> = {}): HeadTrainerInput => ({
    ...{ settings, train, validation: train.slice(0, 12), startFrom: null, log: () => undefined },
    ...more,
  });
  const trained = (trainer: HeadTrainer, epochs = settings.epochs): HeadState => {
    for (let step = 0; step < trainer.stepsPerEpoch * epochs; step++) trainer.step();
    return trainer.exportModel();
  };
  const ask = (asked: LoadedModel, text: string, schema: InferSchema) => {
    const { results, warnings } = drain(asked.infer({ texts: [text], threshold: 0.5, schema }));
    const hits = Object.entries(results[0]!.entities!).flatMap(([label, found]) =>
      found.map((hit): readonly [string, string] => [hit.text, label]),
    );
    return { hits, warnings };
  };
  const entities = ['school', 'club', 'town'].map((name) => ({ name }));

  beforeAll(() => {
    writeTinyBase(directory);
    base = loadBase(directory);
    state = trained(layeredTrainer(input(rows, { log: (line) => lines.push(line) }), base.tagger));
    model = createModel(base, { entities: state }, 0);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('are found in unseen words if the schema asks for them', () => {
    const text = 'the University of Vienna opens today and rain in Bergen again';
    expect(ask(model, text, { entities, flatNer: false })).toEqual({
      hits: [
        ['University of Vienna', 'school'],
        ['Vienna', 'town'],
        ['Bergen', 'town'],
      ],
      warnings: [],
    });
    expect(ask(model, text, { entities: [{ name: 'town' }], flatNer: false }).hits).toEqual([
      ['Vienna', 'town'],
      ['Bergen', 'town'],
    ]);
  });

  it('are omitted by default: only the longest is returned', () => {
    const text = 'the University of Vienna opens today';
    const { hits, warnings } = ask(model, text, { entities });
    expect([hits, warnings]).toEqual([[['University of Vienna', 'school']], []]);
  });

  it('count in evaluations, both as gold spans and as answers', () => {
    const held = ['Vienna', 'Bergen', 'Split'].flatMap(inTown);
    const { figures, predictions } = model.evaluate(held);
    expect(figures.perLabel['town']!.support).toBe(15);
    expect(figures.f1).toBeGreaterThan(0.95);
    expect(predictions[0]!.entities).toHaveLength(2);
    const flat = createModel(base, { entities: trained(entityTrainer(input(rows), base.tagger)) }, 0);
    expect(flat.evaluate(held).figures.perLabel['town']!.recall).toBeLessThan(0.5);
  });

  it('are reported in the log', () => {
    expect(lines).toContain('30 nested or overlapping spans are learned in 1 further layer.');
  });

  it("change nothing if there are none: the head is a flat trainer's", () => {
    expect(trained(layeredTrainer(input(flatRows), base.tagger), 1)).toEqual(
      trained(entityTrainer(input(flatRows), base.tagger), 1),
    );
  });

  it('leave the first layer as a flat trainer makes it, with names that stay', () => {
    const { config, tensors } = trained(layeredTrainer(input(rows), base.tagger), 1);
    const flat = trained(entityTrainer(input(flatRows), base.tagger), 1);
    expect(config).toMatchObject(flat.config);
    expect(tensors).toMatchObject(flat.tensors);
  });

  it('give the same numbers when training is resumed', () => {
    const whole = layeredTrainer(input(rows), base.tagger);
    const first = layeredTrainer(input(rows), base.tagger);
    for (let step = 0; step < 3; step++) [whole, first].forEach((trainer) => trainer.step());
    const second = layeredTrainer(input(rows), base.tagger);
    second.restoreState(first.saveState());
    expect(second.step()).toBe(whole.step());
    expect(second.exportModel()).toEqual(whole.exportModel());
  });

  it('stay learned when the model is trained further, on rows with or without such spans', () => {
    const flat = trained(entityTrainer(input(flatRows), base.tagger));
    for (const startFrom of [state, flat]) {
      const more = trained(layeredTrainer(input(rows.slice(0, 12), { startFrom }), base.tagger), 3);
      const { hits } = ask(createModel(base, { entities: more }, 0), 'the University of Vienna opens today', {
        ...{ entities, flatNer: false },
      });
      expect(hits).toContainEqual(['Vienna', 'town']);
    }
    const without = layeredTrainer(input(flatRows.slice(0, 12), { startFrom: state }), base.tagger);
    expect(without.exportModel().config).toHaveProperty('layer2');
  });

  it('found by two layers have the higher confidence, whatever other labels are requested', () => {
    const labels = ['town', 'club'];
    const layer = (probability: number): EntityHead => {
      const relabel = () => [{ first: 0, end: 1, label: 0, probability }];
      return { ...base.tagger, labels, tagger: { labels, run: base.tagger.run, decisionPoint: 0.5, relabel } };
    };
    const confidences = (outer: number, inner: number, threshold: number) => {
      const entities = { labels, outer: layer(outer), inner: [layer(inner)] };
      const queries = [{ name: 'town', threshold }, { name: 'club' }];
      const plan = planEntities(queries, { entities, base }, { threshold: 0.2, flat: false });
      return drain(plan.answer('Bergen')).entities['town']!.map(({ confidence }) => confidence.toFixed(2));
    };
    expect(confidences(0.3, 0.9, 0.5)).toEqual(['0.90']);
    expect(confidences(0.3, 0.9, 0.1)).toEqual(['0.90']);
    expect(confidences(0.8, 0.6, 0.5)).toEqual(['0.80']);
  });

  it('requested from a model that learned none cause a warning', () => {
    const flat = createModel(base, { entities: trained(entityTrainer(input(flatRows), base.tagger)) }, 0);
    const { hits, warnings } = ask(flat, 'rain in Bergen again', { entities, flatNer: false });
    expect([hits, warnings.map(({ code }) => code)]).toEqual([[['Bergen', 'town']], ['nested_spans']]);
    expect(ask(flat, 'rain in Bergen again', { entities }).warnings).toEqual([]);
    const alone = createModel(base, {}, 0);
    const { warnings: ofBase } = ask(alone, 'Anna lives in Paris now', {
      entities: [{ name: 'city' }],
      flatNer: false,
    });
    expect(ofBase.map(({ code }) => code)).toEqual(['nested_spans']);
  });

  it('whose label occurs only inside other spans cause a warning by default', () => {
    const inner = towns.map((town) =>
      row(`the University of ${town} opens today`, [`University of ${town}`, 'school'], [town, 'town']),
    );
    const asked = createModel(base, { entities: trained(layeredTrainer(input(inner), base.tagger)) }, 0);
    expect(asked.abilities.entityLabels).toEqual(['school', 'town']);
    const text = 'the University of Vienna opens today';
    expect(ask(asked, text, { entities })).toMatchObject({
      hits: [['University of Vienna', 'school']],
      warnings: [
        { code: 'unresolved_label', label: 'club' },
        { code: 'nested_spans', label: 'town' },
      ],
    });
    expect(ask(asked, text, { entities, flatNer: false }).hits).toContainEqual(['Vienna', 'town']);
  });
});
