import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatVerifier } from '#audit/checkpoint.js';
import { AuditedLog, signer } from '#audit/log.fixture.js';
import { readStoredRows } from '#ports/event-store/sqlite/index.js';
import { startTestApi } from '#test/support/api.js';
import { checkpointNow } from '#test/support/audited.js';
import { run } from '#test/servers/tools.js';
import { describeWith } from '#test/torch/environment.js';
import { AUDIT_PROGRAMS, independentVerifier } from './independent-verifier.js';

await describeWith(
  'an independent verifier',
  () => independentVerifier('aics-tlog'),
  (python) => {
    let log: AuditedLog;
    beforeAll(async () => {
      log = await AuditedLog.open();
    });
    afterAll(() => log.close());

    it('accepts every tile, every event and both checkpoints', async () => {
      await log.appendMany('things-1', 300);
      const first = (await log.extend())!;
      await log.appendMany('things-2', 400);
      await log.extend();
      const events = join(log.directory, 'events.jsonl');
      const rows = [...readStoredRows(log.directory)].flat();
      await writeFile(events, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      const kept = join(log.directory, 'kept.txt');
      await writeFile(kept, first.note);
      const tree = join(log.directory, 'objects', 'objects', 'audit');
      const environment = { PYTHONDONTWRITEBYTECODE: '1' };
      const said = await run(python, [join(AUDIT_PROGRAMS, 'check.py'), tree, formatVerifier(signer), events, kept], {
        environment,
      });
      expect(JSON.parse(said)).toEqual({ size: 701, events: 701, bundles: 3, earlier: 1 });
    });

    it('of examples/ accepts an export, and finds a change in it', async () => {
      const script = join(AUDIT_PROGRAMS, '..', '..', '..', 'examples', 'verify-export.py');
      const api = await startTestApi();
      try {
        const { body: project } = await api.call('POST', '/projects', { name: 'exported' });
        await api.call('DELETE', `/projects/${project.id}`);
        await checkpointNow(api);
        const key = ((await api.call('GET', '/audit/key', undefined, {})).body as string).trim();
        const check = async (name: string, lines: readonly string[]) => {
          const file = join(log.directory, name);
          await writeFile(file, lines.join(''));
          return run(python, [script, file, key]);
        };
        const headers = { 'x-api-key': api.key };
        const all = await (await fetch(`${api.url}/audit/export`, { headers })).text();
        const lines = all.split(/(?<=\n)/);
        const { end } = JSON.parse(lines.at(-1)!);
        expect(end.proven).toBeGreaterThan(0);
        expect(JSON.parse(await check('export.jsonl', lines))).toMatchObject({ verified: true, ...end });
        const call = { model_id: 'anneal/encoder-base-v1', text: 'Ada Unforgettable in Lyon.', schema: ['city'] };
        expect((await api.call('POST', '/inference', call)).status).toBe(200);
        await checkpointNow(api);
        const shown = await (await fetch(`${api.url}/audit/export?content=true`, { headers })).text();
        expect(JSON.parse(await check('content.jsonl', [shown]))).toMatchObject({ verified: true });
        const said = shown.replace('Ada Unforgettable', 'Ada Forgettable');
        expect(said).not.toBe(shown);
        await expect(check('said.jsonl', [said])).rejects.toThrow('its content is another');
        const forged = lines.with(1, lines[1]!.replace(/(\\"actor\\":\\")/, '$1not-'));
        await expect(check('forged.jsonl', forged)).rejects.toThrow('it is not what was signed');
        await expect(check('cut.jsonl', lines.toSpliced(1, 1))).rejects.toThrow('the last line counts');
        const answer = await fetch(`${api.url}/audit/export?stream=project-${project.id}`, { headers });
        const one = (await answer.text()).split(/(?<=\n)/);
        expect(JSON.parse(await check('stream.jsonl', one))).toMatchObject({ verified: true, events: 2 });
        await expect(check('gap.jsonl', one.toSpliced(1, 1))).rejects.toThrow('revisions before it are missing');
      } finally {
        await api.close();
      }
    });
  },
);
