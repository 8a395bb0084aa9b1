import { Documents } from '#log/projector/documents.js';
import { projections } from '#projections/index.js';
import { uploadDataset, settled } from '#test/support/datasets.js';
import { describeEmbedded } from '#test/deployments/test-api.js';
import { generate } from '#test/support/generation.js';
import { startHostedApi, type HostedSystem } from '#test/support/hosted-api.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { answers } from '#test/support/scripted-answers.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const MODEL = 'anneal/encoder-base-v1';
const SCHEMA = ['person', 'city'];
const OPENINGS = ['Hello,', 'Good morning,', 'Dear team,'];
const ENDS = ['Thanks!', 'Please answer soon.', 'Best regards', 'Any idea?'];

/** Read models take in an erasure after what it erases; a rebuild has no key of it any more from its first event on. */
describeEmbedded('read models after erasures of every kind', 'it reads the whole log', () => {
  let system: HostedSystem;
  beforeAll(async () => {
    system = await startHostedApi();
    system.openai.script((response, request) => {
      const last = request.body.messages.at(-1).content as string;
      return answers(last.includes('parcel') ? 'shipping' : 'billing')(response, request);
    });
  });
  afterAll(() => system.close());

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await system.api.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const recorded = async (text: string, user = 'nobody'): Promise<string> => {
    const messages = [{ role: 'user', content: text }];
    return (await ask('POST', '/v1/chat/completions', { model: MODEL, schema: SCHEMA, user, messages })).x_pioneer
      .inference_id as string;
  };
  const corrected = async (id: string, person: string) => {
    const judged = {
      verdict: 'incorrect',
      notes: `no: ${person}`,
      corrected_output: { entities: { person: [person] } },
    };
    await ask('POST', `/inferences/${id}/feedback`, judged);
    await ask('POST', `/review/${id}/skip`, { reason: `${person} is known` });
  };
  const erased = new Map<string, object>();
  const erase = async (path: string, within: 'certificate' | null = 'certificate') => {
    await system.api.drained();
    const body = await ask('DELETE', path);
    erased.set(path, within ? body[within] : body);
  };

  /** Compares every document of every read model with what the log of now leads to; again if it grew meanwhile, as by a record of reads. */
  const expectRebuilt = async (): Promise<void> => {
    await system.api.drained();
    const { eventStore, readStore } = system.api.application.ports;
    const log = await Array.fromAsync(eventStore.readAll());
    const found: unknown[] = [];
    const expected: unknown[] = [];
    for (const projection of projections) {
      const { name } = projection;
      const rebuilt = await expectLiveEqualsRebuilt(projection, log);
      const live = new Documents(projection);
      for (const [id, document] of rebuilt) {
        found.push([name, id, await live.get(readStore, id)]);
        expected.push([name, id, document]);
      }
      found.push([name, await readStore.count(live.collection, { where: {} })]);
      expected.push([name, rebuilt.size]);
    }
    const later = await Array.fromAsync(eventStore.readAll({ after: log.at(-1)!.position }));
    if (later.length > 0) return expectRebuilt();
    expect(found).toEqual(expected);
  };

  it('equal a rebuild: calls with corrections, large contents, copies in datasets, imports and batches', async () => {
    const { api } = system;
    const one = await recorded('Ada Lovelace flew to Berlin.');
    await corrected(one, 'Ada');
    await erase(`/inferences/${one}`, null);
    const large = await recorded(`Ada flew to Berlin. ${'Nothing else. '.repeat(6_000)}`);
    await erase(`/inferences/${large}`, null);
    for (const text of ['Bo flew to Rome.', 'Bo is in Paris.']) await recorded(text, 'subject-1');
    await erase('/inferences?subject=subject-1', null);
    const copied = await recorded('Clara flew to Lisbon.');
    await corrected(copied, 'Clara');
    await api.drained();
    await ask('POST', '/felix/datasets/from-feedback', { dataset_name: 'copied' });
    await settled(api, '/felix/datasets/copied/1');
    await erase(`/inferences/${copied}?cascade=true`, null);
    const line = { model_id: 'theirs', created_at: '2026-01-01T00:00:00Z', task: 'schema', input: 'Dora', user: 's-2' };
    await fetch(`${api.url}/inferences/import`, {
      ...{ method: 'POST', headers: { 'x-api-key': api.key, 'content-type': 'application/x-ndjson' } },
      body: JSON.stringify(line),
    });
    await erase('/inferences?subject=s-2', null);
    const { id: batched } = await answeredInBatch('Emil flew to Rome.');
    await erase(`/inferences/${batched}?cascade=true`, null);
    await expectRebuilt();
  });

  it('equal a rebuild: dataset versions that were learned from, merged, evaluated or not valid, and generation jobs', async () => {
    const { api } = system;
    for (const dataset_name of ['trips', 'others']) await uploadDataset(api, { dataset_name }, trips(40));
    const sources = ['trips', 'others'].map((dataset_name) => ({ dataset_name }));
    await ask('POST', '/felix/datasets/merge', { sources, output_name: 'both' });
    await settled(api, '/felix/datasets/both/1');
    const client = new TrainingClient(api);
    const { id } = await client.start({ base_model: MODEL, datasets: [{ name: 'trips' }], nr_epochs: 1 });
    await client.ended(id);
    await client.automaticEvaluation(id);
    await erase('/felix/datasets/trips/1?erase=true');
    const invalid = '{"text": "Fay", "entities": [["Gus", "person"]]}\n'.repeat(3);
    await uploadDataset(api, { dataset_name: 'invalid' }, invalid);
    await erase('/felix/datasets/invalid/1?erase=true');
    await ask('DELETE', '/felix/datasets/others/1');
    await erase('/felix/datasets/others/1?erase=true');
    const request = { task_type: 'ner', labels: ['person', 'city'], num_examples: 20, domain_description: 'trips' };
    const made = await generate(api, { ...request, dataset_name: 'made' });
    expect(made.status).toBe('ready');
    await erase('/felix/datasets/made/1?erase=true');
    const unsaved = await generate(api, { ...request, save_dataset: false });
    await erase(`/generate/jobs/${String(unsaved.job_id ?? unsaved.id)}`);
    await ask('DELETE', `/felix/training-jobs/${id}?reason=old`);
    await expectRebuilt();
  });

  it('equal a rebuild: rows of a distillation, and the calls that they came from', async () => {
    const { api } = system;
    const asked: string[] = [];
    for (let at = 0; at < 80; at += 1) {
      const text = `${OPENINGS[at % 3]!} ${at % 2 ? `where is the parcel of order ${at}` : `the invoice of order ${at} is wrong`}. ${ENDS[at % 4]!}`;
      const messages = [
        { role: 'system', content: 'You sort tickets of a shop. Answer with one word: billing or shipping.' },
        { role: 'user', content: text },
      ];
      asked.push((await ask('POST', '/v1/chat/completions', { model: 'acme/chat', messages })).x_pioneer.inference_id);
    }
    await api.drained();
    const order = { teacher: 'acme/chat', target_agreement: 0.8, audit_share: 0 };
    const { id } = await ask('POST', '/models/tickets/distil', order);
    const { body: done } = await api.until(
      () => api.call('GET', `/distillations/${String(id)}`),
      ({ body }) => body.completed_at !== null,
    );
    expect(done.calls).toMatchObject({ rows: expect.any(Number) });
    await erase(`/inferences/${asked[0]!}?cascade=true`, null);
    expect(erased.get(`/inferences/${asked[0]!}?cascade=true`)).toMatchObject({ erased_with: [{ version: 1 }] });
    await expectRebuilt();
  });

  it('have certificates that a repeat of each request answers again', async () => {
    const again = new Map<string, object>();
    for (const [path, body] of erased) {
      const answer = await ask('DELETE', path);
      again.set(path, 'certificate' in body || !('certificate' in answer) ? answer : answer.certificate);
    }
    for (const [path, body] of erased)
      if (!path.includes('subject=')) expect([path, again.get(path)]).toEqual([path, body]);
    expect(erased.size).toBeGreaterThan(10);
  });

  async function answeredInBatch(text: string): Promise<{ readonly id: string }> {
    const { api } = system;
    const body = { model: MODEL, schema: SCHEMA, messages: [{ role: 'user', content: text }] };
    const form = new FormData();
    form.set('purpose', 'batch');
    const request = { custom_id: 'c1', method: 'POST', url: '/v1/chat/completions', body };
    form.set('file', new Blob([JSON.stringify(request)]), 'requests.jsonl');
    const uploaded = await fetch(`${api.url}/v1/files`, {
      method: 'POST',
      headers: { 'x-api-key': api.key },
      body: form,
    });
    const { id: input } = (await uploaded.json()) as { readonly id: string };
    const batch = { input_file_id: input, endpoint: '/v1/chat/completions', completion_window: '24h' };
    const { body: made } = await api.until(
      () => api.call('POST', '/v1/batches', batch),
      ({ status }) => status === 200,
    );
    const { body: ended } = await api.until(
      () => api.call('GET', `/v1/batches/${String(made.id)}`),
      ({ body: state }) => state.status === 'completed',
    );
    const { body: output } = await api.call('GET', `/v1/files/${String(ended.output_file_id)}/content`);
    return { id: JSON.parse(output as string).response.body.x_pioneer.inference_id as string };
  }
});
