import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { verifyAudit } from '#apps/operator/audit.js';
import { startTestApi } from '#test/support/api.js';
import type { ReleaseFacts } from './facts.js';

// Archives are not built into dist/.
const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'golden', 'releases');

describe.each(globSync('*.tar.gz', { cwd: FOLDER }).map((file) => basename(file, '.tar.gz')))(
  'the data folder of release %s',
  (release) => {
    let dataDir: string;
    let facts: ReleaseFacts;
    beforeEach(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'anneal-upgraded-'));
      await promisify(execFile)('tar', ['-C', dataDir, '-xzf', join(FOLDER, `${release}.tar.gz`)]);
      facts = JSON.parse(await readFile(join(dataDir, 'facts.json'), 'utf8')) as ReleaseFacts;
    });
    afterEach(() => rm(dataDir, { recursive: true }));

    it('opens, answers with every field as that release did, serves its model, and verifies', async () => {
      const api = await startTestApi({ dataDir, bootstrapApiKey: facts.key });
      await api.drained();
      for (const [path, answer] of Object.entries(facts.answers))
        expect([path, (await api.call('GET', path)).body]).toMatchObject([path, answer]);
      const job = Object.keys(facts.answers).find((path) => path.includes('/training-jobs/'))!;
      const call = { model_id: basename(job), text: 'Ada asks in Ghent where order 90210 is.' };
      expect((await api.call('POST', '/inference', call)).status).toBe(200);
      await api.close();
      const [summary, ...problems] = await Array.fromAsync(
        verifyAudit({
          eventStore: { adapter: 'sqlite', directory: dataDir },
          objectStore: { kind: 'folder', directory: join(dataDir, 'objects') },
          ...{ keys: [], checkpoints: [], contents: null },
        }),
      );
      expect(problems).toEqual([]);
      expect(summary).toMatchObject({ verified: true, problems: 0 });
    });
  },
);
