import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifyAudit } from '#apps/operator/audit.js';
import { checkpointNow } from '#test/support/audited.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { describeEmbedded } from '#test/deployments/test-api.js';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'operate', 'event-log.md');
const isHere = spawnSync('sqlite3', ['--version']).status === 0;
const suite = isHere ? describe : describe.skip;
const why = isHere ? '' : ' (skipped: sqlite3 is not installed)';

describeEmbedded('a backup by the commands of docs/operate/event-log.md', 'it is of a data folder', () => {
  suite(`while the system runs${why}`, () => {
    let folder: string;
    let api: TestApi;
    const key = `pio_sk_${'b'.repeat(43)}`;
    const at = (name: string) => join(folder, name);
    const start = async (name: string) => startTestApi({ dataDir: at(name), bootstrapApiKey: key });
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'anneal-backup-'));
      await mkdir(at('keys'));
      api = await start('.anneal');
    });
    afterAll(async () => {
      await api.close();
      await rm(folder, { recursive: true });
    });

    /** The commands as they stand, but for where the copy of the keys is. */
    const commands = async () => {
      const [block] = /(?<=^```sh\n)mkdir -p copy[^`]*(?=^```)/m.exec(await readFile(PAGE, 'utf8')) ?? [];
      return block!.replaceAll('/mnt/keys', at('keys'));
    };
    const run = (script: string) => execFileSync('sh', ['-ec', script], { cwd: folder, stdio: 'pipe' });
    const copyKeys = async () => run((await commands()).split('\n').find((line) => line.includes('content-keys.db'))!);
    const recorded = async (text: string): Promise<string> => {
      const { body } = await api.call('POST', '/inference', {
        ...{ model_id: 'anneal/encoder-base-v1', text, schema: ['person'] },
      });
      await api.drained();
      return body.inference_id as string;
    };
    const textOf = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body.input?.text ?? null;
    const restored = async (name: string) => {
      await api.close();
      await cp(at('copy'), at(name), { recursive: true });
      await mkdir(join(at(name), 'keys'));
      await cp(join(at('keys'), 'content-keys.db'), join(at(name), 'keys', 'content-keys.db'));
      api = await start(name);
      await api.drained();
    };

    it('is complete together with the copied keys, and contains nothing that was erased afterwards', async () => {
      const [erased, kept] = [await recorded('Ada lives in London.'), await recorded('Alan lives in Paris.')];
      await checkpointNow(api);
      run(await commands());
      const [verified] = await Array.fromAsync(
        verifyAudit({
          eventStore: { adapter: 'sqlite', directory: at('copy') },
          objectStore: { kind: 'folder', directory: join(at('copy'), 'objects') },
          ...{ keys: [], checkpoints: [] },
        }),
      );
      expect(verified).toMatchObject({ verified: true, calls: 2 });
      await restored('with the keys of then');
      expect([await textOf(erased), await textOf(kept)]).toEqual(['Ada lives in London.', 'Alan lives in Paris.']);

      await api.close();
      api = await start('.anneal');
      expect((await api.call('DELETE', `/inferences/${erased}`)).status).toBe(200);
      await copyKeys();
      await restored('with the keys of now');
      expect([await textOf(erased), await textOf(kept)]).toEqual([null, 'Alan lives in Paris.']);
    });

    it('does not start without the keys, and says where they belong', async () => {
      await rm(at('copy'), { recursive: true, force: true });
      run(await commands());
      const error: unknown = await start('copy').catch((problem: unknown) => problem);
      expect((error as Error).message).toMatch(
        /^the keys of contents are missing.*put content-keys\.db in .*copy.keys back from the copy of the keys/,
      );
    });
  });
});
