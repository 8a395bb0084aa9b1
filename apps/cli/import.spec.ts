import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedTestApi } from '#test/support/shared-api.js';
import type { TestApi } from '#test/support/api.js';

const ANNEAL = join(import.meta.dirname, 'main.js');
const messages = [{ role: 'user', content: 'Where, "exactly"?' }];
const output = { role: 'assistant', content: 'In Ghent.' };

const generation = (id: string) => ({
  ...{
    id,
    traceId: 't',
    type: 'GENERATION',
    startTime: '2025-10-09T08:53:20Z',
    model: 'fast',
    input: messages,
    output,
  },
});

describe('anneal import', () => {
  let api: TestApi;
  let folder: string;
  let key: string;
  beforeAll(async () => {
    api = await sharedTestApi();
    folder = await mkdtemp(join(tmpdir(), 'import-'));
  });
  beforeEach(async () => {
    ({ key } = await api.colleague());
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
    await api.close();
  });

  async function anneal(name: string, content: string, ...args: string[]) {
    const file = join(folder, name);
    await writeFile(file, content);
    const child = spawn(process.execPath, [ANNEAL, 'import', file, '--url', api.url, ...args], {
      env: { ...process.env, KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close') as Promise<[number]>;
    const [out, error] = await Promise.all(
      [child.stdout, child.stderr].map(async (stream) => Buffer.concat(await Array.fromAsync(stream)).toString()),
    );
    return { code: (await closed)[0], out: out!, error: error! };
  }

  it('sends a file in several requests, lists what was refused by its row, and can be run again', async () => {
    const rows = Array.from({ length: 1_100 }, (_, at) => JSON.stringify(generation(`g-${at}`)));
    rows.splice(1_050, 0, JSON.stringify({ ...generation('span'), type: 'SPAN' }), '{"id":');
    const first = await anneal('calls.jsonl', rows.join('\n'));
    expect([first.code, first.error]).toEqual([0, '']);
    expect(first.out).toContain('1102 rows of langfuse: 1100 imported, 0 unchanged, 2 refused.');
    expect(first.out).toMatch(/1051 +│ span +│ type +│ is SPAN/);
    expect(first.out).toMatch(/1052 .*is not JSON/);
    const again = await anneal('calls.jsonl', rows.join('\n'), '--json');
    expect(JSON.parse(again.out)).toMatchObject({ format: 'langfuse', imported: 0, unchanged: 1_100, refused: 2 });
  });

  it.each([
    ['calls.json', JSON.stringify([generation('a'), generation('b')], null, 2)],
    ['page.json', JSON.stringify({ data: [generation('a'), generation('b')], meta: { page: 1 } })],
    ['calls.csv', ['id,traceId,type,startTime,model,input,output', ...['a', 'b'].map(csvRow)].join('\n')],
  ])('reads %s', async (name, content) => {
    const { out } = await anneal(name, content, '--json');
    expect(JSON.parse(out)).toMatchObject({ format: 'langfuse', rows: 2, imported: 2, refused: 0 });
    await api.drained();
    const { body } = await api.call('GET', '/inferences', undefined, { 'x-api-key': key });
    expect(body.inferences).toMatchObject([
      { input: { messages }, output },
      { input: { messages }, output },
    ]);
  });

  it('says what it cannot read', async () => {
    const unknown = await anneal('rows.jsonl', '{"text": "a", "label": "b"}');
    expect([unknown.code, unknown.error]).toEqual([1, expect.stringContaining('has text, label')]);
    const xml = await anneal('rows.xml', '<rows/>');
    expect([xml.code, xml.error]).toEqual([1, expect.stringContaining('is XML')]);
  });
});

function csvRow(id: string): string {
  const cells = [
    id,
    't',
    'GENERATION',
    '2025-10-09 08:53:20',
    'fast',
    JSON.stringify(messages),
    JSON.stringify(output),
  ];
  return cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
}
