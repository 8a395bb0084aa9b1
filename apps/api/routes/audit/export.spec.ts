import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { parseVerifier } from '#audit/checkpoint.js';
import type { Finding } from '#audit/finding.js';
import type { ExportedEvent } from '#audit/export.js';
import { linesOfTable } from '#audit/export-table.js';
import { verifyExportFile } from '#apps/operator/audit.js';
import { verifyExport } from '#audit/verify-export.js';
import type { JsonObject } from '#domain/json.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { checkpointNow } from '#test/support/audited.js';
import { ExportAudit, ExportAuditHandler } from '#use-cases/audit/queries/export.js';

const MODEL = 'anneal/encoder-base-v1';

let api: TestApi;

describe('GET /audit/export', () => {
  let stream: string;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false, callContents: 'encrypted' });
    const { body } = await api.call('POST', '/projects', { name: 'exported' });
    await api.call('DELETE', `/projects/${body.id}`);
    stream = `project-${body.id}`;
    await checkpointNow(api);
  });
  afterAll(() => api.close());

  it('exports the signed events of a stream, the same as GET /events shows', async () => {
    const { answer, lines } = await download(`stream=${stream}`);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{8}T\d{6}Z\.jsonl"$/);
    const { events } = (await api.call('GET', `/events?stream=${stream}`)).body;
    const exported = eventsOf(lines);
    expect(exported.map(({ id, data }) => ({ id, data: JSON.parse(data!) as unknown }))).toEqual(
      events.map(({ id, data }: { id: string; data: unknown }) => ({ id, data })),
    );
    expect(JSON.parse(exported[0]!.metadata!)).toMatchObject({ actor: events[0].actor });
    expect(await verified(lines)).toMatchObject({ events: 2, proven: 2, unproven: 0 });
  });

  it('as Parquet verifies like the JSON lines', async () => {
    const { key } = await api.colleague();
    await api.call('POST', '/projects', { name: 'of a colleague' }, { 'x-api-key': key });
    const folder = await mkdtemp(join(tmpdir(), 'anneal-export-'));
    try {
      for (const query of [`stream=${stream}`, '']) {
        const { lines } = await download(query);
        const answer = await fetch(`${api.url}/audit/export?${query}&format=parquet`, {
          headers: { 'x-api-key': api.key },
        });
        expect(answer.headers.get('content-type')).toBe('application/vnd.apache.parquet');
        const file = join(folder, 'export.parquet');
        await writeFile(file, Buffer.from(await answer.arrayBuffer()));
        const read = await Array.fromAsync(linesOfTable(file));
        const { exported_at: _, ...head } = JSON.parse(read[0]!) as JsonObject;
        expect(JSON.parse(lines[0]!)).toMatchObject(head);
        // Events may follow meanwhile: that contents are read is recorded too.
        expect(eventsOf(read).slice(0, eventsOf(lines).length)).toEqual(eventsOf(lines));
        const counts = await verified(read);
        expect(counts.proven).toBeGreaterThan(0);
        const [first] = (await Array.fromAsync(verifyExportFile(file, []))) as JsonObject[];
        expect(first).toMatchObject({ verified: true, events: counts.events });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('contains no event of another workspace', async () => {
    const { key } = await api.colleague();
    expect((await download(`stream=${stream}`, key)).answer.status).toBe(404);
    const other = await download('', key);
    expect(other.lines.join()).not.toContain(stream);
    await verified(other.lines);
    const own = await download('');
    expect(own.lines.join()).toContain(stream);
    const [workspace] = eventsOf(own.lines).map(({ metadata }) => JSON.parse(metadata!).workspaceId as string);
    for (const { metadata } of eventsOf(own.lines))
      expect(JSON.parse(metadata!)).toMatchObject({ workspaceId: workspace });
    expect(other.lines.join()).not.toContain(workspace);
    expect((await verified(own.lines)).events).toBe(eventsOf(own.lines).length);
  });

  it('selects by time, and refuses unknown parameters', async () => {
    expect(eventsOf((await download('to=2001-01-01')).lines)).toEqual([]);
    expect(eventsOf((await download(`stream=${stream}&from=2999-01-01`)).lines)).toEqual([]);
    const { occurredAt } = JSON.parse(eventsOf((await download(`stream=${stream}`)).lines)[1]!.metadata!);
    const { lines } = await download(`stream=${stream}&from=${occurredAt}`);
    expect(eventsOf(lines).at(-1)!.revision).toBe(1);
    await verified(lines);
    for (const [query, status] of [
      ['format=csv', 400],
      ['from=yesterday', 400],
      ['from=2030-01-02&to=2030-01-01', 422],
      ['stream=', 422],
      ['stream=project-none', 404],
    ] as const)
      expect([query, (await download(query)).answer.status]).toEqual([query, status]);
  });

  it('stops when its client disconnects, and reads no further than the client', async () => {
    let read = 0;
    const { storedEvents } = api.application;
    const [some] = (await Array.fromAsync(storedEvents.readStream(stream))) as [RecordedEvent];
    const data = { text: 'x'.repeat(100_000) };
    const endless = Object.create(api.application) as Application;
    const readAll = async function* () {
      for (;;) yield { ...some, data, revision: (read += 1) };
    };
    Object.assign(endless, { storedEvents: { readAll, head: () => storedEvents.head() } });
    const caller = { workspaceId: some.metadata.workspaceId } as Caller;
    const gone = new AbortController();
    const content = await new ExportAuditHandler(endless).execute(new ExportAudit(caller, {}, gone.signal));
    await once(content, 'readable');
    content.read();
    content.destroy();
    await once(content, 'close');
    expect(read).toBeLessThan(50);
    // Nothing of the log is the caller's: only the signal ends that.
    const nobody = new ExportAudit({ workspaceId: 'none' } as Caller, {}, gone.signal);
    const lines = (await new ExportAuditHandler(endless).execute(nobody)).setEncoding('utf8');
    gone.abort();
    expect((await Array.fromAsync(lines)).join('').trim().split('\n')).toHaveLength(2);
  });

  it('exports texts as stored, and no erased text', () => exportsTextsAsStored('encrypted'));
});

describe('GET /audit/export of contents that are stored unencrypted', () => {
  beforeAll(async () => (api = await startTestApi({ callContents: 'plain' })));
  afterAll(() => api.close());

  it('exports texts as stored, and no erased text', () => exportsTextsAsStored('plain'));
});

/** The same of both ways of storing contents. */
async function exportsTextsAsStored(callContents: 'plain' | 'encrypted'): Promise<void> {
  const isContent = /^(call-content|feedback-given)/;
  const text = 'Ada Unforgettable lives in London.';
  const { body } = await api.call('POST', '/v1/responses', { model: MODEL, input: text, schema: ['city'] });
  await api.drained();
  const inferenceId = (body.id as string).slice('resp_'.length);
  const feedback = { verdict: 'correct', notes: 'Unforgettable' };
  expect((await api.call('POST', `/inferences/${inferenceId}/feedback`, feedback)).status).toBeLessThan(300);
  const before = (await download('')).lines;
  const contents = eventsOf(before).filter(({ type, data }) => isContent.test(type) || data?.includes('"sealed"'));
  const stored = contents.map(({ data }) => [data!.includes('Unforgettable'), 'sealed' in JSON.parse(data!)]);
  const isEncrypted = callContents === 'encrypted';
  expect(stored).toEqual(Array.from({ length: 2 }, () => [!isEncrypted, isEncrypted]));
  await checkpointNow(api);
  const shown = (await download('content=true')).lines;
  const revealed = eventsOf(shown).filter(({ content }) => content?.includes('Unforgettable'));
  expect(revealed.map(({ type }) => type)).toEqual(isEncrypted ? contents.map(({ type }) => type) : []);
  await verified(shown);
  if (isEncrypted) {
    const forged = shown.map((line) => line.replace('Unforgettable lives', 'Forgettable lives'));
    expect(forged).not.toEqual(shown);
    expect(await problemsOf(forged)).toEqual([
      expect.stringMatching(/call-(?:content|metered).*`content` is not what the event has encrypted$/),
    ]);
  }
  const session = { authorization: `Bearer ${api.session}` };
  const made = await api.call('POST', '/create-api-key', { name: 'a', scopes: ['audit'] }, session);
  const refused = await download('content=true', made.body.secret_key as string);
  const hidden = (await download('', made.body.secret_key as string)).lines;
  expect(hidden.join()).not.toContain('Unforgettable');
  expect(eventsOf(hidden).filter(({ withheld }) => withheld === 'content')).toHaveLength(isEncrypted ? 0 : 2);
  await verified(hidden);
  expect([refused.answer.status, refused.lines.join()]).toEqual([403, expect.stringContaining('`content`')]);
  expect((await api.call('DELETE', `/v1/responses/${body.id}`)).status).toBeLessThan(300);
  await checkpointNow(api);
  expect((await download('content=true')).lines.join()).not.toContain('Unforgettable');
  const { lines } = await download('');
  expect(lines.join()).not.toContain('Unforgettable');
  const erased = eventsOf(lines).filter(({ withheld }) => withheld === 'erased');
  // The event of a call that has its content too is exported with its metering, and ciphertext without a key.
  const areWhole = contents.some(({ type }) => type === 'call-metered.v1');
  const withheld = [...(areWhole ? [] : ['call-content.v1']), 'feedback-given.v1'];
  expect(erased.map(({ type }) => type).toSorted()).toEqual(withheld);
  for (const event of erased) {
    for (const field of ['id', 'data', 'salt']) expect(event).not.toHaveProperty(field);
    expect(event).toHaveProperty('inclusion_proof');
  }
  // Reads of contents are recorded meanwhile, newer than the checkpoint.
  expect(await verified(lines)).toMatchObject({ withheld: withheld.length });
}

const download = async (query: string, key = api.key) => {
  const answer = await fetch(`${api.url}/audit/export?${query}`, { headers: { 'x-api-key': key } });
  const lines = (await answer.text()).split('\n').filter(Boolean);
  return { answer, lines };
};
const eventsOf = (lines: readonly string[]) => lines.slice(1, -1).map((line) => JSON.parse(line) as ExportedEvent);
async function verified(lines: readonly string[]) {
  const { counts, findings } = await verification(lines);
  expect(findings).toEqual([]);
  return counts;
}

const problemsOf = async (lines: readonly string[]) => (await verification(lines)).findings.map(({ what }) => what);

async function verification(lines: readonly string[]) {
  const key = (await api.call('GET', '/audit/key', undefined, {})).body as string;
  const findings: Finding[] = [];
  const all = (async function* () {
    yield* lines;
  })();
  const verifiers = key
    .trim()
    .split('\n')
    .map((line) => parseVerifier(line));
  const counts = await verifyExport({ lines: all, verifiers, onFinding: (finding) => findings.push(finding) });
  return { counts, findings };
}
