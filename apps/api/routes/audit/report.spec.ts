import { categoryOf } from '#domain/streams.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import type { Report, Statement } from '#use-cases/reports/report.js';
import { trainedTwice } from '../lineage/trained-twice.fixture.js';

const MODEL = 'trips';

describe('GET /audit/report', () => {
  let api: TestApi;
  let job: string;
  let call: string;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    ({ job } = await trainedTwice(api));
    await new TrainingClient(api).automaticEvaluation(job);
    await must('POST', '/models', { name: MODEL, description: 'Finds places' });
    await must('POST', `/models/${MODEL}/versions`, { training_job_id: job });
    await must('PUT', `/models/${MODEL}/versions/1/promote?ticket=T-1`, { reason: 'the first one' });
    call = (await must('POST', '/inference', { model_id: MODEL, text: 'Ada flew to Lyon.' })).inference_id;
    await api.drained();
    await must('POST', `/inferences/${call}/feedback`, { verdict: 'correct', notes: 'a secret note' });
  });
  afterAll(() => api.close());

  const must = async (method: string, path: string, body: object) => {
    const answer = await api.call(method, path, body);
    expect([path, answer.status, answer.body]).toEqual([path, expect.any(Number), expect.anything()]);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const reports = async (query: string): Promise<readonly Report[]> => {
    const { status, body } = await api.call('GET', `/audit/report?${query}`);
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.reports;
  };
  const statementsOf = (list: readonly Report[]): readonly Statement[] =>
    list.flatMap(({ sections }) => sections.flatMap(({ statements }) => statements));
  const textsOf = (list: readonly Report[]) => statementsOf(list).map(({ text }) => text);

  it('cites for each statement events that are on the log as cited', async () => {
    const all = await reports('');
    expect(all.map(({ name }) => name)).toEqual([`card-${MODEL}`, 'logs', 'access', 'incidents']);
    const facts = statementsOf(all).filter(({ source }) => source === 'events');
    expect(facts.filter(({ events }) => events.length === 0)).toEqual([]);
    const streams = Map.groupBy(
      facts.flatMap(({ events }) => events),
      ({ stream }) => stream,
    );
    let compared = 0;
    for (const [stream, cited] of streams) {
      const { status, body } = await api.call('GET', `/events?stream=${stream}&limit=1000`);
      // What the operator made has no workspace, and a person's account may be of another one.
      if (/^(team|user|key)-/.test(stream)) continue;
      expect([stream, status]).toEqual([stream, 200]);
      const byId = new Map(body.events.map((event: { id: string }) => [event.id, event]));
      for (const { id, type, position, revision } of cited) {
        expect(byId.get(id)).toMatchObject({ type, position, revision });
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('gives a model card in the order of annex IV: data, training, evaluation with intervals, changes, and what nobody recorded', async () => {
    const [card] = await reports(`kind=card&model=${MODEL}`);
    expect(card!.sections.map(({ title }) => title.split('.')[0])).toEqual([
      ...['1', '2', '2 (g)', '3', '4', '5', '6', '7', '8', '9'],
    ]);
    const texts = textsOf([card!]).join('\n');
    expect(texts).toContain('"Finds places"');
    expect(texts).toMatch(/Training job .* It learned 100 rows of both\/1\./);
    expect(texts).toContain('Dataset both/1 was merged from trips/1, more/1.');
    expect(texts).toMatch(
      /Evaluation .* on \d+ held-out rows of both\/1, with 95% intervals: F1 [\d.]+ \([\d.]+ to [\d.]+\)/,
    );
    expect(texts).toMatch(/version 1 was put in use by key:.*; reason: "the first one"; ticket: "T-1"/);
    expect(texts).toMatch(/Version 1 answered 1 recorded calls of the name/);
    expect(texts).toContain('People judged 1 calls of trips as correct.');
    const missing = statementsOf([card!]).filter(({ source }) => source === 'not_recorded');
    expect(missing.map(({ text }) => text)).toContainEqual(
      'A copy of the declaration (article 47): not recorded. The deployer fills it in.',
    );
    expect(texts).not.toContain('a secret note');
  });

  it('says what is logged of calls, for how long, who reads it, and what is gone', async () => {
    const erased = (await must('POST', '/inference', { model_id: MODEL, text: 'Bo in Rome.' })).inference_id;
    await api.drained();
    await must('DELETE', `/inferences/${erased}`, undefined as never);
    await must('POST', '/account/holds?ticket=L-1', { kind: 'call', id: call, reason: 'case 4' });
    await uploadDataset(
      api,
      { dataset_name: 'gone' },
      '{"text": "Bo", "label": "name"}\n{"text": "Rome", "label": "city"}',
    );
    await must('DELETE', '/felix/datasets/gone/1?reason=wrong%20labels&ticket=OPS-7', undefined as never);
    const texts = textsOf(await reports('kind=logs')).join('\n');
    expect(texts).toMatch(/2 calls are logged, the first on 20/);
    expect(texts).toContain('inferenceId');
    expect(texts).toMatch(/Calls are kept for ever/);
    expect(texts).toMatch(/owner, reads records without contents, contents, the log/);
    expect(texts).toContain('The contents of 1 calls were erased');
    expect(texts).toMatch(/A hold on call .* placed by key:.*; reason: "case 4"; ticket: "L-1"\./);
    expect(texts).toMatch(/a version of the dataset was deleted by key:.*; reason: "wrong labels"; ticket: "OPS-7"\./);
  });

  it('lists people and keys with what they may do and did, in the period', async () => {
    const session = { authorization: `Bearer ${api.session}` };
    await api.call('POST', '/create-api-key', { name: 'auditor', scopes: ['audit'] }, session);
    const texts = textsOf(await reports('kind=access')).join('\n');
    expect(texts).toMatch(/has the role owner, and may: /);
    expect(texts).toMatch(/Key "auditor" .* scopes: audit; it does not expire/);
    expect(texts).toMatch(/In the period: .*call-metered\.v1 \d/);
    const before = await reports('kind=access&until=2001-01-01');
    expect(textsOf(before).join()).not.toContain('call-metered.v1 ');
  });

  it('reads no more of the log than it needs, for one report of a workspace at a time', async () => {
    const { storedEvents } = api.application;
    const readAll = storedEvents.readAll.bind(storedEvents);
    const read = new Map<string, number>();
    storedEvents.readAll = async function* (options) {
      for await (const event of readAll(options)) {
        const category = categoryOf(event.stream);
        read.set(category, (read.get(category) ?? 0) + 1);
        yield event;
      }
    };
    try {
      await reports('kind=incidents');
      expect([...read.keys()].filter((category) => !['team', 'user', 'key', 'incident'].includes(category))).toEqual(
        [],
      );
      expect(read.get('team')).toBeGreaterThan(0);
      read.clear();
      const answers = await Promise.all(
        ['kind=access', 'kind=card', 'kind=logs'].map((query) => api.call('GET', `/audit/report?${query}`)),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429]);
      const refused = answers.find(({ status }) => status === 429)!;
      expect([refused.headers.get('retry-after'), refused.body.detail]).toEqual([
        '5',
        expect.stringContaining('is being made'),
      ]);
    } finally {
      storedEvents.readAll = readAll;
    }
    await reports('kind=incidents');
  });

  it('has the same statements again for its position, whatever happened since', async () => {
    const [before] = await reports(`kind=card&model=${MODEL}@1`);
    await must('PUT', `/models/${MODEL}/labels/stable`, { version: 1 });
    const [now] = await reports(`kind=card&model=${MODEL}@1`);
    expect(textsOf([now!]).join()).toContain('label stable was set to version 1');
    const [then] = await reports(`kind=card&model=${MODEL}@1&position=${before!.head.position}`);
    expect(then!.sections).toEqual(before!.sections);
  });

  it('as Markdown lists the events of its statements, and no text of people is markup', async () => {
    await must('POST', '/incidents', { title: '<b>*x*</b>', severity: 'low', description: 'd' });
    const { headers, body } = await api.call('GET', '/audit/report?kind=incidents&format=markdown');
    expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(body).toMatch(/^# Incidents\n/);
    expect(body).toMatch(/\| 1 \| \d+ \| incident-\S+ \| 0 \| incident-opened\.v1 \|/);
    expect(body).not.toContain('<b>');
  });

  it('tells of its own workspace only, needs the scope audit, and refuses impossible periods, positions and models', async () => {
    const { key } = await api.colleague();
    const other = await api.call('GET', '/audit/report', undefined, { 'x-api-key': key });
    expect(JSON.stringify(other.body)).not.toContain(job);
    const session = { authorization: `Bearer ${api.session}` };
    const made = await api.call('POST', '/create-api-key', { name: 'h', scopes: ['history'] }, session);
    const refused = await api.call('GET', '/audit/report', undefined, { 'x-api-key': made.body.secret_key as string });
    expect(refused.status).toBe(403);
    for (const [query, status] of [
      ['model=none', 404],
      [`model=${MODEL}@99`, 404],
      ['model=No%20Name', 422],
      ['position=x', 422],
      ['position=99999999999999999999', 422],
      ['since=2030-01-02&until=2030-01-01', 422],
      ['kind=none', 400],
    ] as const)
      expect([query, (await api.call('GET', `/audit/report?${query}`)).status]).toEqual([query, status]);
  });
});
