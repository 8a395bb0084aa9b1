import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RENAMED } from '#apps/api/edge/aliases.js';
import { RATE_LIMITS } from '#use-cases/limits/limit-table.js';
import { nameOf, ownRoutesOf, type ApiDocument, type Route } from '#test/fuzz/document.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { fieldsOf, queryOf, schemasInUse } from './described.js';
import { exists, proofsOf, readProofs } from './proofs.js';

/** A file in test/interface/proofs names the test that proves each part of the interface. Here they are held to the OpenAPI document. */
describe('the proofs of the interface', () => {
  const proofs = readProofs();
  let api: TestApi;
  let document: ApiDocument;
  let routes: readonly Route[];
  beforeAll(async () => {
    api = await sharedTestApi();
    document = (await api.call('GET', '/openapi.json', undefined, {})).body as ApiDocument;
    routes = ownRoutesOf(document);
  });
  afterAll(() => api.close());

  /** Each value that some test proves; `name!` stands for `name` too. */
  function provenOf(of: string): readonly string[] {
    const values = new Set(proofs.filter((proof) => proof.of === of).flatMap((proof) => proof.values ?? []));
    return [...values].filter((value) => !values.has(`${value}!`)).toSorted();
  }
  const kinds = (pattern: RegExp): readonly string[] =>
    [...new Set(proofs.filter(({ values }) => values !== null).map(({ of }) => of))]
      .filter((of) => pattern.test(of))
      .toSorted();

  it('name existing tests', () => {
    expect(proofs.length).toBeGreaterThan(1000);
    const missing = proofs.filter((proof) => !exists(proof)).map(({ file, title }) => `${file} “${title}”`);
    expect([...new Set(missing)]).toEqual([]);
  });

  it('cover every route of the document with its newer names, and no others except the signed addresses', () => {
    const newer = RENAMED.flatMap(({ names, methods }) =>
      names.flatMap((name) => methods.map((method) => `${method} ${name.replaceAll(/:(\w+)/g, '{$1}')}`)),
    );
    const expected = [...routes.map(nameOf), ...newer, 'PUT /objects/{key}', 'GET /objects/{key}'];
    expect(kinds(/^[A-Z]+ \//)).toEqual(expected.toSorted());
  });

  it('cover every query parameter, with its bounds', () => {
    for (const route of routes)
      expect([nameOf(route), provenOf(nameOf(route))]).toEqual([nameOf(route), queryOf(route.operation).toSorted()]);
  });

  it('cover every field of every request and answer, with its bounds', () => {
    const schemas = [...schemasInUse(document)].map((name) => [name, document.components.schemas[name]!] as const);
    const withFields = schemas.filter(([, schema]) => fieldsOf(schema).length > 0);
    expect(kinds(/^[A-Z]\w+$/)).toEqual(withFields.map(([name]) => name).toSorted());
    for (const [name, schema] of withFields)
      expect([name, provenOf(name)]).toEqual([name, fieldsOf(schema).toSorted()]);
  });

  it('cover every status that any route may answer', () => {
    const documented = new Set(routes.flatMap(({ operation }) => Object.keys(operation.responses)));
    expect([...documented].filter((status) => !provenOf('status').includes(status))).toEqual([]);
  });

  it.each([
    ['TrainingJobRecord', 'status'],
    ['TrainingJobRecord', 'deployment_status'],
    ['DatasetVersionRecord', 'status'],
    ['GenerationJobRecord', 'status'],
    ['EvaluationRecord', 'status'],
    ['InferenceRecord', 'status'],
  ])('cover every state of a %s: %s', (schema, field) => {
    const values = document.components.schemas[schema]?.properties?.[field]?.enum ?? [];
    expect(values.length).toBeGreaterThan(1);
    const proven = provenOf(`${schema}.${field}`);
    expect(values.filter((value) => typeof value === 'string' && !proven.includes(value))).toEqual([]);
  });

  it('cover every rate limit, and the page of limits has each as in the code', () => {
    const limits = Object.values(RATE_LIMITS);
    expect(provenOf('rate limit')).toEqual(limits.map(({ name }) => name).toSorted());
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/api.md'), 'utf8');
    const said = [...page.matchAll(/^\| `([\w-]+)` \| ([\d,]+ in (?:a minute|an hour)) \|/gm)];
    const expected = limits.map(
      ({ name, limit, windowMs }) =>
        `${name}: ${limit.toLocaleString('en')} in ${windowMs === 3_600_000 ? 'an hour' : 'a minute'}`,
    );
    expect(said.map(([, name, limit]) => `${name}: ${limit}`).toSorted()).toEqual(expected.toSorted());
  });

  it('are read from lines of paths, titles and what is proven', () => {
    const lines = ['a.spec.ts', '  one', '    GET /b?limit!&of', '    Body: id, name!', '    - It is kept', '  two'];
    const test = { file: 'a.spec.ts', title: 'one' };
    expect(proofsOf(lines.join('\n'))).toEqual([
      { ...test, of: 'GET /b', values: ['limit!', 'of'] },
      { ...test, of: 'Body', values: ['id', 'name!'] },
      { ...test, of: 'It is kept', values: null },
    ]);
    expect(() => proofsOf([...lines, '  one'].join('\n'))).toThrow('twice');
    expect(() => proofsOf([...lines, '    nothing'].join('\n'))).toThrow('nothing');
  });
});
