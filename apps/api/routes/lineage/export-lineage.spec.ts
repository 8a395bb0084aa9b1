import { Ajv } from 'ajv';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { JsonObject } from '#domain/json.js';
import type { TestApi } from '#test/support/api.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { BASE, trainedTwice } from './trained-twice.fixture.js';

/** The published schema, with those that it refers to, as they come with the CycloneDX library. */
async function cycloneDxSchema() {
  const schemas = join(
    dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library')),
    '..',
    'res',
    'schema',
  );
  const read = async (name: string) =>
    JSON.parse(await readFile(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8')) as JsonObject;
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  for (const name of ['spdx', 'jsf-0.82']) {
    const schema = await read(name);
    ajv.addSchema(schema, `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  }
  return ajv.compile(await read('bom-1.6'));
}

describe('the lineage of a model', () => {
  let api: TestApi;
  let job: string;
  let tuned: string;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    ({ job, tuned } = await trainedTwice(api));
  });
  afterAll(() => api.close());

  const lineage = (id: string, query = '') => api.call('GET', `/felix/training-jobs/${id}/lineage${query}`);

  it('is a CycloneDX ML-BOM by the published schema: files with hashes, datasets, base model and dependencies', async () => {
    const said = { purpose: 'Find cities', source: 'Our own texts', license: 'CC-BY-4.0', consent: 'None needed' };
    await api.call('PATCH', '/felix/datasets/trips/latest', said);
    const { status, body } = await lineage(tuned, '?format=cyclonedx');
    expect(status).toBe(200);
    const isBom = await cycloneDxSchema();
    expect([isBom(body), isBom.errors ?? []]).toEqual([true, []]);
    const { metadata, components, dependencies } = body;
    expect(metadata.component).toMatchObject({ type: 'machine-learning-model', version: tuned, name: 'μ' });
    const stored = (await api.call('GET', `/felix/training-jobs/${tuned}/download`)).status;
    expect(stored).toBe(200);
    expect(metadata.component.components[0].hashes).toEqual([
      { alg: 'SHA-256', content: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const names = (components as { name: string; type: string }[]).map(({ name, type }) => [type, name]);
    expect(names).toEqual([
      ['machine-learning-model', 'μ'],
      ['machine-learning-model', BASE],
      ...['more', 'both', 'trips'].map((name) => ['data', name]),
    ]);
    expect(components.at(-1)).toMatchObject({
      description: said.purpose,
      licenses: [{ license: { name: said.license } }],
    });
    expect(components.at(-1).properties).toContainEqual({ name: 'anneal:source', value: said.source });
    expect(components.at(-1).properties).toContainEqual({ name: 'anneal:consent', value: said.consent });
    const refs = new Set([metadata.component, ...components].map((each: JsonObject) => each['bom-ref']));
    const depends = dependencies as { ref: string; dependsOn: string[] }[];
    for (const { ref, dependsOn } of depends) for (const each of [ref, ...dependsOn]) expect(refs).toContain(each);
    expect(depends[0]).toMatchObject({
      ref: `job:${tuned}`,
      dependsOn: [`job:${job}`, expect.stringMatching(/^dataset:/)],
    });
  });

  it('is OpenLineage events of merges and trainings, in order of time', async () => {
    const { status, body } = await lineage(tuned);
    expect(status).toBe(200);
    const events = body as unknown as {
      eventType: string;
      eventTime: string;
      run: { runId: string };
      job: { name: string };
    }[];
    expect(events.map(({ eventType, job: of }) => [eventType, of.name])).toEqual([
      ...['START', 'COMPLETE'].map((type) => [type, 'merge/both']),
      ...['START', 'COMPLETE', 'START', 'COMPLETE'].map((type) => [type, 'train/μ']),
    ]);
    expect(events.map(({ eventTime }) => eventTime)).toEqual(events.map(({ eventTime }) => eventTime).sort());
    expect(events.at(-1)).toMatchObject({
      ...{ producer: expect.any(String), schemaURL: expect.stringContaining('OpenLineage.json') },
      run: { runId: tuned, facets: { processing_engine: { name: 'builtin', version: expect.any(String) } } },
      inputs: [
        { name: `models/${job}`, namespace: expect.stringMatching(/^anneal:/) },
        { name: 'datasets/more', facets: { version: { datasetVersion: '1' } } },
      ],
      outputs: [{ name: `models/${tuned}` }],
    });
    expect(events[0]).toMatchObject({
      inputs: [{ name: 'datasets/trips' }, { name: 'datasets/more' }],
      outputs: [{ name: 'datasets/both' }],
    });
  });

  it('is not found for unknown jobs, or in another format', async () => {
    expect((await lineage('0190f3c4-0000-7000-8000-000000000000')).status).toBe(404);
    expect((await lineage(tuned, '?format=spdx')).status).toBe(400);
  });
});
