import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openCheckpoint, parseVerifier } from '#audit/checkpoint.js';
import { isIncluded } from '#audit/inclusion.js';
import { checkpointNow } from '#test/support/audited.js';
import type { TestApi } from '#test/support/api.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { BASE, trainedTwice } from './trained-twice.fixture.js';

const ANNEAL = join(import.meta.dirname, '../../../../../apps/cli/bin/anneal.mjs');
const NOBODY = '0190f3c4-0000-7000-8000-000000000000';
const SHA256 = expect.stringMatching(/^[0-9a-f]{64}$/);

const cited = (type: string, stream: unknown = expect.any(String)) => ({
  ...{ type, stream, position: expect.any(String), revision: expect.any(Number) },
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
});

describe('lineage', () => {
  let api: TestApi;
  let job: string;
  let tuned: string;
  let callId: string;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    ({ job, tuned } = await trainedTwice(api));
    await api.call('POST', '/models', { name: 'travel' });
    await api.call('POST', '/models/travel/versions', { training_job_id: tuned });
    await api.call('PUT', '/models/travel/versions/1/promote', { reason: 'the first one' });
    callId = await infer('travel');
    const corrected_output = { entities: { person: [] } };
    const notes = 'a private note';
    await judge(callId, { verdict: 'incorrect', corrected_output, notes });
    await api.drained();
  });
  afterAll(() => api.close());

  const infer = async (model_id: string): Promise<string> => {
    const { status, body } = await api.call('POST', '/inference', { model_id, text: 'Hana flies', schema: ['person'] });
    expect([model_id, status]).toEqual([model_id, 200]);
    return body.inference_id as string;
  };
  const judge = async (id: string, body: object) => {
    const answer = await api.call('POST', `/inferences/${id}/feedback`, body);
    expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  };
  const explain = (id: string, headers?: Record<string, string>) =>
    api.call('GET', `/inferences/${id}/lineage`, undefined, headers);
  const follow = (path: string, headers?: Record<string, string>) =>
    api.call('GET', `/lineage/datasets/${path}`, undefined, headers);

  interface Node {
    readonly id: string;
    readonly label: string;
    readonly link: string | null;
  }
  interface Edge {
    readonly from: string;
    readonly to: string;
    readonly relation: string;
    readonly event: { readonly type: string } | null;
  }
  const graphOf = (body: object) =>
    (body as { graph: { root: string; nodes: readonly Node[]; edges: readonly Edge[]; truncated: boolean } }).graph;

  it('explains a call of a trained model by name: caller, version, weights, job, datasets, price and corrections', async () => {
    const { status, body } = await explain(callId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ id: callId, record: `/inferences/${callId}`, status: 'success', project: null, erased: null },
      by: { actor: expect.stringMatching(/^key:/), name: expect.any(String), event: cited('api-key-created.v1') },
      model: {
        ...{ asked: 'travel', kind: 'trained', base_model: BASE, training_job_id: tuned, provider: null },
        named: { name: 'travel', version: 1, reason: 'the first one', event: cited('model-version-promoted.v1') },
        engine: { name: 'builtin', event: cited('call-metered.v1') },
      },
      price: { source: 'configured', event: cited('call-metered.v1') },
      corrections: [{ verdict: 'incorrect', event: cited('feedback-given.v1', `feedback-${callId}`) }],
      ...{ truncated: false, event: cited('call-metered.v1') },
    });
    expect(body.training).toMatchObject([
      {
        ...{ job_id: tuned, started_from: { job_id: job, checkpoint_id: null }, deleted: null },
        started_by: { actor: expect.stringMatching(/^key:/), name: expect.any(String) },
        configuration: { epochs: 1, split_seed: expect.any(Number) },
        datasets: [{ name: 'more', version: 1, sha256: SHA256 }],
        weights: { event: cited('training-job-completed.v1', `job-${tuned}`) },
      },
      { job_id: job, started_from: null, datasets: [{ name: 'both', version: 1 }] },
    ]);
    expect(body.training[0].weights.files[0]).toEqual({
      ...{ name: expect.any(String), sha256: SHA256, size: expect.any(Number) },
    });
    expect(
      body.datasets.map(({ name, origin }: { name: string; origin: { kind: string } }) => [name, origin.kind]),
    ).toEqual([
      ...[
        ['more', 'upload'],
        ['both', 'merge'],
        ['trips', 'upload'],
      ],
    ]);
    expect(body.datasets[1]).toMatchObject({
      ...{ rows: 100, sha256: SHA256, event: cited('dataset-version-ready.v1') },
      origin: {
        merged_from: [{ name: 'trips' }, { name: 'more' }],
        event: cited('dataset-version-merge-requested.v1'),
      },
    });
    expect(JSON.stringify(body)).not.toMatch(/Hana|private note/);
  });

  it('cites events that are at these positions of the log', async () => {
    const { body } = await explain(callId);
    for (const { stream, revision, type, position } of [
      ...[body.event, body.model.named.event, body.training[0].weights.event, body.datasets[0].event],
      body.corrections[0].event,
    ]) {
      const { events } = (await api.call('GET', `/events?stream=${stream}&from=${revision}&limit=1`)).body;
      const own = events[0] ?? (await api.application.ports.eventStore.eventAt(position));
      expect(own).toMatchObject({ stream, revision, type, position });
    }
  });

  it.each([
    ['travel@1', 'model-version-added.v1'],
    ['travel@newest', 'model-label-set.v1'],
  ])('names the event that set the version of %s: %s', async (asked, type) => {
    await api.call('PUT', '/models/travel/labels/newest', { version: 1, reason: 'to be tried' });
    const { body } = await explain(await infer(asked));
    expect(body.model).toMatchObject({ asked, named: { name: 'travel', version: 1, event: cited(type) } });
  });

  it('explains a call of a base model by the engine and weights in its event', async () => {
    const { body } = await explain(await infer(BASE));
    expect(body).toMatchObject({
      model: { asked: BASE, kind: 'base', named: null, training_job_id: null, weights_sha256: SHA256 },
      ...{ training: [], datasets: [], corrections: [], price: { event: cited('call-metered.v1') } },
    });
    expect(body.model.engine).toMatchObject({
      ...{ name: 'builtin', version: expect.any(String), event: cited('call-metered.v1') },
    });
  });

  it('proves each cited event by the checkpoint on request', async () => {
    await checkpointNow(api);
    const { body } = await api.call('GET', `/inferences/${callId}/lineage?proofs=true`);
    const head = openCheckpoint(
      body.checkpoint as string,
      (body.public_keys as string[]).map((key) => parseVerifier(key)),
    );
    const cited = [
      body.event,
      body.by.event,
      body.model.named.event,
      body.datasets[0].event,
      body.corrections[0].event,
    ];
    for (const { position, stream, revision, type, proof } of cited) {
      const entry = [position, stream, revision, type, proof.digest].join('\n');
      const hashes = (proof.inclusion_proof as string[]).map((hash) => Buffer.from(hash, 'base64'));
      expect(isIncluded({ entry, leaf: proof.leaf_index, proof: hashes }, head)).toBe(true);
    }
    expect((await explain(callId)).body.event).not.toHaveProperty('proof');
  });

  it('names the calls that feedback rows come from', async () => {
    const id = await infer(BASE);
    await judge(id, { verdict: 'correct' });
    await api.drained();
    const made = await api.call('POST', '/felix/datasets/from-feedback', {
      dataset_name: 'judged',
      verdict: 'correct',
    });
    expect(made.status).toBe(202);
    const { body } = await api.until(
      () => follow('judged/1'),
      ({ body: { dataset } }) => dataset.rows !== null,
    );
    expect(body.dataset.origin).toMatchObject({ kind: 'feedback', call_ids: [id], more_calls: false });
  });

  it('follows a dataset through a merge and a fine-tune to jobs, model versions and answers', async () => {
    const { status, body } = await follow('trips/1');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dataset: { name: 'trips', version: 1, sha256: SHA256, origin: { kind: 'upload' } },
      merged_into: [{ name: 'both', version: 1, event: cited('dataset-version-merge-requested.v1') }],
      jobs: [
        { job_id: job, through: 'merge', answers: 0, model_versions: [] },
        {
          ...{
            job_id: tuned,
            through: 'fine-tune',
            answers: expect.any(Number),
            calls: `/inferences?training_job_id=${tuned}`,
          },
          model_versions: [{ name: 'travel', version: 1, event: cited('model-version-added.v1') }],
          weights: { event: cited('training-job-completed.v1') },
        },
      ],
      ...{ total: 2, limit: 20, offset: 0 },
    });
    const { inferences, total } = (await api.call('GET', body.jobs[1].calls)).body;
    expect([total, inferences.at(-1).id]).toEqual([body.jobs[1].answers, callId]);
    const direct = (await follow('more/latest?limit=1&offset=1')).body;
    expect([direct.total, direct.jobs]).toEqual([2, [expect.objectContaining({ job_id: tuned, through: 'direct' })]]);
  });

  const rowOf = (path: string, headers?: Record<string, string>) => follow(path.replace(' row ', '/rows/'), headers);

  it('follows a row to its place before a merge, and to the models trained on it', async () => {
    const { status, body } = await rowOf('both/1 row 61');
    expect([status, body.row, body.call, body.merged_into]).toEqual([200, 61, null, []]);
    expect(body.dataset).toMatchObject({ name: 'both', version: 1, origin: { kind: 'merge' } });
    expect(body.came_from).toMatchObject([
      { name: 'more', version: 1, row: 1, made_by: { name: expect.any(String) }, origin: { kind: 'upload' } },
    ]);
    expect(body.jobs).toMatchObject([
      { job_id: job, through: 'direct' },
      { job_id: tuned, through: 'fine-tune', answers: expect.any(Number) },
    ]);
    const source = (await rowOf('more/latest row 1')).body;
    expect([source.came_from, source.merged_into]).toMatchObject([[], [{ name: 'both', version: 1, rows: [61] }]]);
    expect(source.jobs.map(({ through }: { through: string }) => through)).toEqual(['merge', 'direct']);
    expect((await rowOf('both/1 row 60')).body.came_from).toMatchObject([{ name: 'trips', row: 60 }]);
    const { root, nodes, edges } = graphOf(body);
    const labels = new Map(nodes.map(({ id, label }) => [id, label]));
    expect(labels.get(root)).toBe('both/1, row 61');
    const told = edges.map(({ from, relation, to }) => `${labels.get(from)} ${relation} ${labels.get(to)}`);
    for (const edge of ['more/1, row 1 merged both/1, row 61', 'both/1 has both/1, row 61', 'both/1 learned μ'])
      expect(told).toContain(edge);
  });

  it('shows the row itself on request, and records the read', async () => {
    const reads = async () => {
      const { body } = await api.call('GET', '/audit/reads?resource=dataset/trips/1');
      return (body.reads as { route: string; count: number }[]).filter(({ route }) => route.includes('/rows/'));
    };
    expect((await rowOf('trips/1 row 2')).body).not.toHaveProperty('content');
    const { content } = (await rowOf('trips/1 row 2?content=true')).body;
    expect(content).toEqual((await api.call('GET', '/felix/datasets/trips/1/preview?limit=1&offset=1')).body.rows[0]);
    expect((await rowOf('trips/1 row 2?content=1')).body.content).toEqual(content);
    const recorded = await api.until(reads, (all) => all.reduce((sum, { count }) => sum + count, 0) >= 2);
    expect(recorded.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    const session = { authorization: `Bearer ${api.session}` };
    const { body: made } = await api.call('POST', '/create-api-key', { name: 'auditor', scopes: ['audit'] }, session);
    const headers = { 'x-api-key': made.secret_key as string };
    expect((await rowOf('trips/1 row 2', headers)).status).toBe(200);
    const refused = await rowOf('trips/1 row 2?content=true', headers);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.stringContaining('`content`')]);
  });

  it("follows a feedback row to its call and the call's corrections", async () => {
    const { body: of } = await follow('judged/1');
    const [id] = of.dataset.origin.call_ids;
    const { body } = await rowOf('judged/1 row 1');
    expect(body.call).toMatchObject({
      ...{ id, record: `/inferences/${id}`, event: cited('call-metered.v1') },
      corrections: [{ verdict: 'correct', event: cited('feedback-given.v1') }],
    });
    const { root, edges } = graphOf(body);
    expect(edges).toContainEqual(expect.objectContaining({ from: `call:${id}`, to: root, relation: 'corrected' }));
  });

  it('refuses missing rows', async () => {
    const statuses = await Promise.all(
      ['trips/1 row 61', 'trips/1 row 0', 'trips/1 row x', 'trips/9 row 1', 'none/latest row 1'].map((path) =>
        rowOf(path),
      ),
    );
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    const headers = { 'x-api-key': (await api.colleague()).key };
    expect((await rowOf('trips/1 row 1', headers)).status).toBe(404);
  });

  it('is 404 for unknown calls and datasets', async () => {
    const answers = [...[explain(NOBODY), explain('none'), follow('trips/2'), follow('none/latest')]];
    for (const { status } of await Promise.all(answers)) expect(status).toBe(404);
    expect((await follow('trips/x')).status).toBe(400);
    expect((await follow('trips/1?limit=0')).status).toBe(422);
  });

  it('is also a graph: edges from cause to result between existing nodes, and a path from each node', async () => {
    const { body } = await explain(callId);
    const { root, nodes, edges, truncated } = graphOf(body);
    expect([root, truncated]).toEqual([`call:${callId}`, false]);
    const labels = new Map(nodes.map(({ id, label }) => [id, label]));
    expect(labels.size).toBe(nodes.length);
    const told = edges
      .filter(({ from }) => !from.startsWith('actor:'))
      .map(({ from, relation, to }) => `${labels.get(from)} ${relation} ${labels.get(to)}`);
    expect(told.toSorted()).toEqual(
      [
        ...['trips/1 merged both/1', 'more/1 merged both/1', 'both/1 learned μ', 'more/1 learned μ', 'μ continued μ'],
        ...[`${BASE} based μ`, 'μ named travel@1', 'travel@1 answered success', 'success judged incorrect'],
      ].toSorted(),
    );
    for (const { event } of edges) expect(event).toEqual(cited(event!.type));
    const by = edges.filter(({ from }) => from.startsWith('actor:')).map(({ relation }) => relation);
    expect(new Set(by)).toEqual(new Set(['called', 'made', 'started', 'put_in_force', 'gave']));
    const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
    expect(nodes.map(({ id }) => id).filter((id) => !ends.has(id))).toEqual([]);
  });

  it('of a dataset is also a graph, which says when nodes on other pages are left out', async () => {
    const { root, nodes, edges, truncated } = graphOf((await follow('trips/1')).body);
    expect([nodes.find(({ id }) => id === root)?.label, truncated]).toEqual(['trips/1', false]);
    expect(edges.map(({ relation }) => relation).toSorted()).toEqual([
      'answered',
      'continued',
      'learned',
      'made',
      'merged',
      'named',
    ]);
    const cut = graphOf((await follow('trips/1?limit=1&offset=1')).body);
    expect([cut.truncated, cut.edges.some(({ relation }) => relation === 'continued')]).toEqual([true, false]);
  });

  it('links each node to a route with its details', async () => {
    for (const { nodes } of [graphOf((await explain(callId)).body), graphOf((await follow('trips/1')).body)])
      for (const { link } of nodes)
        if (link !== null) expect([link, (await api.call('GET', link)).status]).toEqual([link, 200]);
  });

  it('anneal explain prints it as a tree of lines, and the answer with --json', async () => {
    const anneal = async (...args: string[]) => {
      const child = spawn(process.execPath, [ANNEAL, 'explain', ...args, '--url', api.url], {
        env: { ...process.env, KEY: api.key },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(child, 'close');
      const out = Buffer.concat(await Array.fromAsync(child.stdout)).toString();
      await closed;
      return out;
    };
    const text = await anneal(callId);
    for (const part of [
      `call ${callId}`,
      'version 1 of travel',
      `job ${tuned}`,
      'dataset both/1, merge',
      'judged incorrect',
    ])
      expect(text).toContain(part);
    const { body: base } = await explain(await infer(BASE));
    const { name, version } = base.model.engine;
    expect(await anneal(base.id as string)).toContain(
      `engine ${name} ${version}, weights sha256:${base.model.weights_sha256}`,
    );
    expect(JSON.parse(await anneal(callId, '--json'))).toEqual((await explain(callId)).body);
  });
});
