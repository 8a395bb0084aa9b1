import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkpointNow } from '#test/support/audited.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { describeEmbedded } from '#test/deployments/test-api.js';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'operate', 'event-log.md');
const CLI = join(import.meta.dirname, '..', 'apps', 'cli', 'main.js');
const execute = promisify(execFile);

describeEmbedded('a backup by the commands of docs/operate/event-log.md', 'it is of a data folder', () => {
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

  /** The commands as they stand, but for their places. */
  const commands = async (): Promise<readonly string[]> => {
    const [block] = /(?<=^```sh\n)npx anneal backup [^`]*(?=^```)/m.exec(await readFile(PAGE, 'utf8')) ?? [];
    const here = block!.replaceAll('/mnt/backups', at('backups')).replaceAll('/mnt/keys', at('keys'));
    return here.replaceAll('npx anneal', `${process.execPath} ${CLI}`).trim().split('\n');
  };
  const run = async (command: string) => execute('sh', ['-ec', command], { cwd: folder });
  const backUp = async () => run((await commands())[0]!);
  const recorded = async (text: string): Promise<string> => {
    const { body } = await api.call('POST', '/inference', {
      ...{ model_id: 'anneal/encoder-base-v1', text, schema: ['person'] },
    });
    await api.drained();
    return body.inference_id as string;
  };
  const textOf = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body.input?.text ?? null;
  const restored = async (name: string, backup: string) => {
    await api.close();
    await run(`${(await commands())[2]!.replace('.restored', name)} --backup ${backup}`);
    await putSecretBack(name);
    api = await start(name);
    await api.drained();
  };
  const putSecretBack = (name: string) => copyFile(at('.anneal/secret.key'), at(`${name}/secret.key`));
  const newest = async (): Promise<string> => {
    const { stdout } = await run(`${process.execPath} ${CLI} backup list ${at('backups')} --json`);
    return (JSON.parse(stdout.trim().split('\n').at(-1)!) as { id: string }).id;
  };

  it('is complete together with the copied keys, and contains nothing that was erased afterwards', async () => {
    const [erased, kept] = [await recorded('Ada lives in London.'), await recorded('Alan lives in Paris.')];
    await checkpointNow(api);
    const [backup, verify] = await commands();
    await run(backup!);
    await run(verify!);
    const before = await newest();
    await restored('of-then', before);
    expect([await textOf(erased), await textOf(kept)]).toEqual(['Ada lives in London.', 'Alan lives in Paris.']);

    await api.close();
    api = await start('.anneal');
    expect((await api.call('DELETE', `/inferences/${erased}`)).status).toBe(200);
    await backUp();
    await restored('of-then-with-the-keys-of-now', before);
    expect([await textOf(erased), await textOf(kept)]).toEqual([null, 'Alan lives in Paris.']);
  });

  it('does not start without the keys, and says where they belong', async () => {
    const [, , restore] = await commands();
    await run(restore!.replace('.restored', 'without-keys').replace(/ --keys \S+/, ''));
    await putSecretBack('without-keys');
    const error: unknown = await start('without-keys').catch((problem: unknown) => problem);
    expect((error as Error).message).toMatch(
      /^the keys of contents are missing.*put content-keys\.db in .*without-keys.keys back from the copy of the keys/,
    );
  });
});
