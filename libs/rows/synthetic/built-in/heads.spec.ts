import type { FieldSpec, RelationSpec, RowsRequest } from '#domain/generation-job/index.js';
import type { JsonObject } from '#domain/json.js';
import { collectRows } from '../collect.js';
import type { GenerationContext } from '../port.js';
import { builtInGenerator } from './index.js';

const nobody = {} as GenerationContext;
const request = (more: Partial<RowsRequest>): RowsRequest => ({
  ...{ taskType: 'ner', count: 300, seed: 1, labels: [], fields: [], inputFields: [], outputFields: [] },
  ...{ domainDescription: null, prompt: null, instruction: null, classifiedExamples: [] },
  ...more,
});
const field = (name: string, more: Partial<FieldSpec> = {}): FieldSpec => ({
  ...{ name, type: 'string', description: null, choices: null },
  ...more,
});
const relation = (name: string, head: string | null = null, tail: string | null = null): RelationSpec => ({
  ...{ name, head, tail, description: null },
});
const made = async (of: RowsRequest) => {
  await builtInGenerator.check(of, nobody);
  return (await collectRows(builtInGenerator.rows(of, nobody), of)).rows;
};
const problemsOf = async (of: RowsRequest) => {
  const error = (await builtInGenerator.check(of, nobody).catch((thrown: unknown) => thrown)) as {
    readonly fields: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
  };
  return error.fields.map(({ path, message }) => `${path.join('.')}: ${message}`);
};
const listOf = (row: JsonObject, head: string) =>
  (row[head] ?? []) as readonly Record<string, Record<string, unknown>>[];

const ORDER = {
  name: 'order',
  fields: [
    field('order_id'),
    field('city'),
    field('guests', { type: 'list' }),
    field('size', { choices: ['small', 'large'] }),
  ],
};

describe('structures of the built-in generator', () => {
  it('have the requested fields, one or several records a text, and none in some texts', async () => {
    const rows = await made(request({ structures: [ORDER] }));
    const counts = new Set(rows.map((row) => listOf(row, 'json_structures').length));
    expect([...counts].sort()).toEqual([0, 1, 2, 3]);
    const records = rows.flatMap((row) => listOf(row, 'json_structures').map((each) => each['order']!));
    for (const name of ['order_id', 'city', 'guests', 'size']) {
      const present = records.filter((record) => name in record).length / records.length;
      expect([name, present > 0.6 && present < 1]).toEqual([name, true]);
    }
    expect(new Set(records.flatMap(({ size }) => size ?? []))).toEqual(new Set(['small', 'large']));
    expect(records.every(({ guests = [] }) => Array.isArray(guests))).toBe(true);
  });

  it('are distinguished by their names if there are several', async () => {
    const rows = await made(
      request({ structures: [ORDER, { name: 'complaint', fields: [field('city'), field('order_id')] }] }),
    );
    for (const row of rows)
      for (const record of listOf(row, 'json_structures'))
        expect((row['text'] as string).toLowerCase()).toContain(Object.keys(record)[0]);
  });

  it('are refused by name if a field cannot be filled', async () => {
    expect(
      await problemsOf(request({ structures: [{ name: 'order', fields: [field('city'), field('vibe')] }] })),
    ).toEqual([expect.stringMatching(/^structures\.0\.fields\.1: .*"vibe"/)]);
  });
});

describe('relations of the built-in generator', () => {
  it('join the types that they name, in their direction, under the names of the request', async () => {
    const known = await made(
      request({ relations: [relation('works for', 'person', 'firm'), relation('has employee')] }),
    );
    const stated = known.filter((row) => listOf(row, 'relations').length > 0);
    expect(stated.length).toBeGreaterThan(150);
    for (const row of stated) {
      const types = new Map((row['entities'] as [string, string][]).map(([span, label]) => [span, label]));
      for (const each of listOf(row, 'relations')) {
        const [name, { head, tail }] = Object.entries(each)[0] as [string, { head: string; tail: string }];
        const ends = [types.get(head), types.get(tail)];
        expect(ends).toEqual(name === 'works for' ? ['person', 'firm'] : ['firm', 'person']);
      }
    }
    // Both names tell the same facts, from either end.
    for (const row of stated)
      expect(listOf(row, 'relations').filter((each) => 'works for' in each).length * 2).toBe(
        listOf(row, 'relations').length,
      );
  });

  it('have no entities if no types are named, and include rows without relations', async () => {
    const rows = await made(request({ relations: [relation('lives_in')] }));
    expect(rows.every((row) => !('entities' in row))).toBe(true);
    const silent = rows.filter((row) => listOf(row, 'relations').length === 0).length;
    expect(silent).toBeGreaterThan(20);
    expect(silent).toBeLessThan(150);
  });

  it('hold both ways if they are symmetric', async () => {
    const rows = await made(request({ relations: [relation('married_to')] }));
    for (const row of rows) {
      const pairs = listOf(row, 'relations').map((each) => each['married_to'] as { head: string; tail: string });
      for (const { head, tail } of pairs) expect(pairs).toContainEqual({ head: tail, tail: head });
    }
  });

  it('are refused by name if they are unknown, join other types, or are repeated', async () => {
    expect(await problemsOf(request({ relations: [relation('envies')] }))).toEqual([
      expect.stringMatching(/^relations\.0\.name: .*"envies".*works for/),
    ]);
    expect(await problemsOf(request({ relations: [relation('lives_in', 'person', 'movie')] }))).toEqual([
      expect.stringMatching(/^relations\.0\.tail: .*city.*"movie"/),
    ]);
    expect(await problemsOf(request({ relations: [relation('works_for'), relation('works at')] }))).toEqual([
      expect.stringMatching(/^relations\.1\.name: .*"works at" is the same .*"works_for"/),
    ]);
  });
});

describe('several heads of the built-in generator', () => {
  it('take turns, and a text about one leaves the others unlabelled', async () => {
    const rows = await made(request({ labels: ['date'], structures: [ORDER], relations: [relation('lives_in')] }));
    const heads = rows.map((row) =>
      Object.keys(row)
        .filter((key) => key !== 'text')
        .join(' '),
    );
    expect(new Set(heads)).toEqual(new Set(['entities', 'json_structures', 'entities relations']));
    // The ends of relations are labelled wherever entities are.
    const labels = new Set(
      rows.flatMap((row) => ((row['entities'] ?? []) as [string, string][]).map(([, label]) => label)),
    );
    expect(labels).toEqual(new Set(['date', 'person', 'city']));
  });
});
