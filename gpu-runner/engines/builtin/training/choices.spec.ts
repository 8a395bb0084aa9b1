import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Example, LabelledField, StructureQuery, TrainReport, TrainRequest } from '../../engine.js';
import { drain } from '../../steps.js';
import { engine } from '../index.js';
import { writeTinyBase } from '../inference/tiny-base.fixture.js';
import { resolveSettings } from '../settings.js';

const DRUGS = ['aspirin', 'codeine', 'heparin', 'insulin', 'morphin', 'tramadol', 'warfarin', 'zinc'];
const WAYS = { oral: ['by mouth', 'PO'], intravenous: ['into a vein', 'IV'] } as const;
type Route = keyof typeof WAYS;

/** `{drug}`, and `{oral}` or `{intravenous}`: a way to say it. @param isTold whether rows tell which stretch says a route */
function row(pattern: string, drugs: readonly string[], way: 0 | 1, isTold: boolean): Example {
  let text = '';
  const records: LabelledField[][] = [];
  for (const [, before = '', mark] of pattern.matchAll(/([^{]*)(?:\{([^}]*)\})?/g)) {
    text += before;
    if (mark === undefined) continue;
    const value = mark === 'drug' ? drugs[records.length]! : WAYS[mark as Route][way];
    const place = { start: text.length, end: text.length + value.length };
    text += value;
    if (mark === 'drug') records.push([{ name: 'drug', isList: false, values: [place] }]);
    else if (isTold) records.at(-1)!.push({ name: 'route', isList: false, values: [{ ...place, choice: mark }] });
    else records.at(-1)!.push({ name: 'route', isList: false, values: [], choices: [mark] });
  }
  return { text, structures: records.map((fields) => ({ name: 'order', fields })) };
}

const PATTERNS = [
  'please give {drug} {oral} today',
  'please give {drug} {intravenous} today',
  'give {drug} {oral} and then {drug} {intravenous} now',
  'give {drug} {intravenous} and then {drug} {oral} now',
  'stop {drug} now',
];
const rowsOf = (isTold: boolean): Example[] =>
  DRUGS.flatMap((drug, at) =>
    PATTERNS.map((pattern, index) =>
      row(pattern, [drug, DRUGS[(at + 3) % DRUGS.length]!], (at + index) % 2 === 0 ? 0 : 1, isTold),
    ),
  );

const settings = resolveSettings(
  { trainingType: 'full', rows: 40, entityRows: 40, classSizes: [], multiLabel: false },
  { epochs: 12, seed: 5, earlyStoppingPatience: 0 },
);

describe('training of choices', () => {
  const baseRoot = mkdtempSync(join(tmpdir(), 'choices-base-'));
  let directory: string;
  let reports: TrainReport[];
  beforeAll(() => writeTinyBase(baseRoot));
  afterAll(() => rmSync(baseRoot, { recursive: true, force: true }));
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'choices-'));
    reports = [];
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const train = (changes: Partial<TrainRequest> = {}) =>
    engine.train(
      {
        ...{ settings, train: rowsOf(false), validation: rowsOf(false).slice(0, 10), baseDirectory: baseRoot },
        ...{ startFrom: null, resumeFrom: null, outputDirectory: join(directory, 'out') },
        ...changes,
      },
      (report) => reports.push(report),
      new AbortController().signal,
    );
  const ask = (artifact: string, text: string, fields: StructureQuery['fields'], threshold: number | null = null) => {
    const model = engine.load(baseRoot, artifact);
    const schema = { structures: [{ name: 'order', fields }] };
    const [result] = drain(model.infer({ texts: [text], schema, threshold })).results;
    return result!.structures!['order']!.map((record) =>
      Object.fromEntries(Object.entries(record).map(([field, hits]) => [field, hits.map((hit) => hit.text).join()])),
    );
  };
  const drug = { name: 'drug', dtype: 'str' } as const;
  const route = (choices?: readonly string[]) => ({
    name: 'route',
    dtype: 'str' as const,
    ...(choices && { choices }),
  });
  const TWO = 'give heparin IV and then aspirin by mouth now';

  it('answers the choices that texts say in other words, each in its record, if they are asked for', async () => {
    const { artifactDirectory, metrics } = await train();
    expect(metrics.heads.structures).toMatchObject({ f1: 1 });
    expect(metrics.perLabel['order.route']).toMatchObject({ f1: 1 });
    const found = [
      { drug: 'heparin', route: 'intravenous' },
      { drug: 'aspirin', route: 'oral' },
    ];
    expect(ask(artifactDirectory, TWO, [drug, route()])).toEqual(found);
    expect(ask(artifactDirectory, TWO, [drug, route(['Oral', 'intravenous'])])).toEqual([
      found[0],
      { drug: 'aspirin', route: 'Oral' },
    ]);
    expect(ask(artifactDirectory, TWO, [drug, route(['oral', 'topical'])])).toEqual([{ drug: 'heparin' }, found[1]]);
    expect(ask(artifactDirectory, 'stop heparin now', [drug, route()])).toEqual([{ drug: 'heparin' }]);
    expect(ask(artifactDirectory, TWO, [drug, { ...route(), threshold: 1 }])).toEqual([
      { drug: 'heparin' },
      { drug: 'aspirin' },
    ]);
  });

  it('answers what a stretch was learned to say, where the rows tell it', async () => {
    const { artifactDirectory } = await train({ train: rowsOf(true), validation: rowsOf(true).slice(0, 10) });
    expect(ask(artifactDirectory, TWO, [drug, route(['oral', 'intravenous'])])).toEqual([
      { drug: 'heparin', route: 'intravenous' },
      { drug: 'aspirin', route: 'oral' },
    ]);
    // Written as the request has it.
    expect(ask(artifactDirectory, TWO, [route(['iv'])])).toEqual([{ route: 'iv' }]);
  });

  it('of structures without a value in the text reads the whole text', async () => {
    const ticket = (text: string, choice: string): Example => ({
      text,
      structures: [{ name: 'order', fields: [{ name: 'route', isList: false, values: [], choices: [choice] }] }],
    });
    const rows = DRUGS.flatMap((name) => [
      ticket(`${name} is to be swallowed`, 'oral'),
      ticket(`${name} goes through the drip`, 'intravenous'),
      { text: `${name} is out of stock`, structures: [] },
    ]);
    const { artifactDirectory } = await train({ train: rows, validation: rows.slice(0, 6) });
    expect(ask(artifactDirectory, 'this is to be swallowed', [route()])).toEqual([{ route: 'oral' }]);
    expect(ask(artifactDirectory, 'this goes through the drip', [route()])).toEqual([{ route: 'intravenous' }]);
    expect(ask(artifactDirectory, 'this is out of stock', [route()])).toEqual([]);
  });

  it('tells how many records cannot be told apart', async () => {
    const choice = (route: string) => ({ name: 'route', isList: false, values: [], choices: [route] });
    const two = ['oral', 'intravenous'].map((route) => ({ name: 'order', fields: [choice(route)] }));
    await train({ train: [...rowsOf(false), { text: 'by mouth, or IV', structures: two }] });
    const logs = reports.flatMap((report) => (report.kind === 'log' ? [report.message] : []));
    expect(logs).toContain('2 records of order share a text and have no value in it: their choices are not learned.');
  });

  it('keeps the choices of an earlier model of which the rows have none', async () => {
    const { artifactDirectory } = await train();
    const others = DRUGS.map((name): Example => ({
      text: `hide ${name} there`,
      structures: [
        { name: 'order', fields: [{ name: 'drug', isList: false, values: [{ start: 5, end: 5 + name.length }] }] },
      ],
    }));
    const next = await train({
      ...{ train: others, validation: [], startFrom: artifactDirectory, outputDirectory: join(directory, 'next') },
    });
    expect(ask(next.artifactDirectory, 'please give heparin IV today', [route()])).toEqual([{ route: 'intravenous' }]);
  });

  it('resumed from a checkpoint, gives the same bytes as without a break', async () => {
    const chosen = { settings: { ...settings, epochs: 2, saveSteps: 7 } };
    const whole = await train(chosen);
    const checkpoint = reports.flatMap((report) => (report.kind === 'checkpoint' ? [report.directory] : []))[0]!;
    const resumed = await train({ ...chosen, resumeFrom: checkpoint, outputDirectory: join(directory, 'resumed') });
    const bytesOf = (folder: string) => readdirSync(folder).map((file) => readFileSync(join(folder, file), 'base64'));
    expect(bytesOf(resumed.artifactDirectory)).toEqual(bytesOf(whole.artifactDirectory));
  });
});
