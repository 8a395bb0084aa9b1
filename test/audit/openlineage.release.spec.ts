import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainedTwice } from '#apps/api/routes/lineage/trained-twice.fixture.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { run } from '#test/servers/tools.js';
import { describeWith } from '#test/torch/environment.js';
import { AUDIT_PROGRAMS, independentVerifier } from './independent-verifier.js';

// No package has the JSON Schemas themselves; the client's classes are generated from them.
await describeWith(
  'the lineage of a model as OpenLineage',
  () => independentVerifier('openlineage'),
  (python) => {
    let api: TestApi;
    let directory: string;
    /** JSON of the events. */
    let events: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'anneal-openlineage-'));
      api = await startTestApi({ rateLimits: false });
      const { tuned } = await trainedTwice(api);
      const { body } = await api.call('GET', `/felix/training-jobs/${tuned}/lineage`);
      events = JSON.stringify(body);
    });
    afterAll(async () => {
      await api.close();
      await rm(directory, { recursive: true });
    });

    async function read(given: string): Promise<unknown> {
      const file = join(directory, 'events.json');
      await writeFile(file, given);
      const environment = { PYTHONDONTWRITEBYTECODE: '1' };
      return JSON.parse(await run(python, [join(AUDIT_PROGRAMS, 'read_openlineage.py'), file], { environment }));
    }

    it("fits the classes that OpenLineage's client generates from the published schemas, facets included", async () => {
      const facets = ['DatasetVersionDatasetFacet', 'JobTypeJobFacet', 'ProcessingEngineRunFacet'];
      expect(await read(events)).toEqual({ events: 6, facets });
    });

    it.each([
      ['has an eventType that OpenLineage does not have', '"eventType":"START"', '"eventType":"BEGIN"'],
      ['has a field that OpenLineage does not have', '"eventType":', '"madeBy":"somebody","eventType":'],
      ['has a run id that is not a UUID', '"runId":"', '"runId":"job-'],
      ['has a number in the place of a text', '"datasetVersion":"1"', '"datasetVersion":1'],
      ['has a facet without a required field', '"integration":"ANNEAL",', ''],
      ['has a facet of a version that was never published', '/2-0-4/', '/9-0-0/'],
    ])('is refused if an event %s', async (_name, before, after) => {
      expect(events).toContain(before);
      await expect(read(events.replace(before, after))).rejects.toThrow('Traceback');
    });
  },
);
