import { RATE_LIMITS } from '#use-cases/limits/limits.js';
import { nameOf, ownRoutesOf, type ApiDocument, type Route } from '#test/fuzz/document.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { fieldsOf, queryOf, schemasInUse } from './described.js';
import { exists, named, readPage, type Table } from './page.js';

/** docs/reference/interface.md names the test that proves each part of the interface. Here it is held to the truth. */
describe('docs/reference/interface.md', () => {
  const tables = readPage();
  let api: TestApi;
  let document: ApiDocument;
  let routes: readonly Route[];
  beforeAll(async () => {
    api = await startTestApi();
    document = (await api.call('GET', '/openapi.json', undefined, {})).body as ApiDocument;
    routes = ownRoutesOf(document);
  });
  afterAll(() => api.close());

  const having = (column: string): readonly Table[] => tables.filter(({ columns }) => columns[0] === column);
  const rowsOf = (column: string) => having(column).flatMap(({ rows }) => rows);
  const rows = () =>
    tables.flatMap(({ headings, rows: all }) => all.map((row) => ({ ...row, where: headings.at(-1) })));

  it('names a test for every row', () => {
    expect(rows().length).toBeGreaterThan(100);
    expect(
      rows()
        .filter(({ proofs }) => proofs.length === 0)
        .map(({ where, cells }) => [where, cells[0]]),
    ).toEqual([]);
  });

  it('names existing tests', () => {
    const missing = rows().flatMap(({ where, proofs }) =>
      proofs.filter((proof) => !exists(proof)).map(({ file, title }) => `${where}: ${file} “${title}”`),
    );
    expect(missing).toEqual([]);
  });

  it('has every route of the document, and no others except the signed addresses', () => {
    const listed = rowsOf('Route').flatMap(({ cells }) => named(cells[0]!));
    expect(new Set(listed).size).toBe(listed.length);
    const expected = [...routes.map(nameOf), 'PUT /objects/{key}', 'GET /objects/{key}'];
    expect(listed.toSorted()).toEqual(expected.toSorted());
  });

  it('has every query parameter, with its bounds and its default', () => {
    for (const route of routes) {
      const row = rowsOf('Route').find(({ cells }) => named(cells[0]!).includes(nameOf(route)));
      expect([nameOf(route), entriesOf(row?.cells[1] ?? '')]).toEqual([
        nameOf(route),
        sorted(queryOf(route.operation)),
      ]);
    }
  });

  it('has every field of every request and answer, with its bounds', () => {
    const listed = having('Field');
    const names = listed.map(({ headings }) => named(headings.at(-1)!)[0]);
    expect(names.toSorted()).toEqual(
      [...schemasInUse(document)].filter((name) => fieldsOf(document.components.schemas[name]!).size > 0).toSorted(),
    );
    for (const { headings, rows: fields } of listed) {
      const name = named(headings.at(-1)!)[0]!;
      const said = fields.flatMap(({ cells }) => entriesOf(cells[0]!)).toSorted();
      expect([name, said]).toEqual([name, sorted(fieldsOf(document.components.schemas[name]!))]);
    }
  });

  it('has every status that any route may answer', () => {
    const listed = rowsOf('Status').flatMap(({ cells }) => named(cells[0]!));
    const documented = new Set(routes.flatMap(({ operation }) => Object.keys(operation.responses)));
    expect([...documented].filter((status) => !listed.includes(status))).toEqual([]);
  });

  it.each([
    ['TrainingJobRecord', 'status'],
    ['TrainingJobRecord', 'deployment_status'],
    ['DatasetVersionRecord', 'status'],
    ['GenerationJobRecord', 'status'],
    ['EvaluationRecord', 'status'],
    ['InferenceRecord', 'status'],
  ])('has every state of a %s: %s', (schema, field) => {
    const listed = rowsOf('State').flatMap(({ cells }) => named(cells[0]!));
    const values = document.components.schemas[schema]?.properties?.[field]?.enum ?? [];
    expect(values.length).toBeGreaterThan(1);
    expect(values.filter((value) => !listed.includes(`${String(value)}`))).toEqual([]);
  });

  it('has every rate limit, as in the code', () => {
    const said = rowsOf('Rate limit').map(({ cells }) => [named(cells[0]!)[0], cells[1]]);
    const expected = Object.values(RATE_LIMITS).map(({ name, limit, windowMs }) => [
      name,
      `${limit.toLocaleString('en')} in ${windowMs === 3_600_000 ? 'an hour' : 'a minute'}`,
    ]);
    expect(said.toSorted()).toEqual(expected.toSorted());
  });

  /** `limit` 1 to 200; `offset` at least 0: each with what stands behind it. */
  function entriesOf(cell: string): readonly string[] {
    const entries = cell.split(/;\s+/).filter((entry) => entry.startsWith('`'));
    return entries.map((entry) => entry.trim()).toSorted();
  }

  const sorted = (fields: ReadonlyMap<string, string>): readonly string[] =>
    [...fields].map(([name, bounds]) => `\`${name}\` ${bounds}`.trim()).toSorted();
});
