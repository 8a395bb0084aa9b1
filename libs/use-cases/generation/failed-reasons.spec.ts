import { randomUUID } from 'node:crypto';
import { generationJobDecider, type GenerationJob } from '#domain/generation-job/index.js';
import { systemContext } from '#log/context.js';
import { generate } from '#test/support/generation.js';
import { sharedTestApi } from '#test/support/shared-api.js';

describe('why a generation of rows failed', () => {
  it('is encrypted on the log, since it may quote rows, and needs the permission `content`', async () => {
    const api = await sharedTestApi();
    const jobId = randomUUID();
    const context = systemContext('test', api.workspaceId);
    const decide = (command: Parameters<typeof generationJobDecider.decide>[0]) =>
      api.application.execute(generationJobDecider, jobId, command, { ...context, commandId: randomUUID() });
    const quoted = 'Hildegard-Quux';
    await decide({
      type: 'request-generation',
      ...{ jobId, workspaceId: api.workspaceId, requestedBy: { kind: 'user', id: 'u' }, generator: 'built-in' },
      ...{ rows: { task: 'encoder', count: 1 }, datasetName: null, projectId: null },
    } as never);
    await decide({ type: 'fail-generation', jobId, reason: `the row "${quoted}" is none` });
    const stored = await Array.fromAsync(
      api.application.storedEvents.readAll({ filter: { types: ['generation-job-failed.v1'] } }),
    );
    const [own] = stored.filter(({ data }) => data['jobId'] === jobId);
    expect(own!.data).toMatchObject({ sealed: { key: expect.any(String) } });
    expect(JSON.stringify(own)).not.toContain(quoted);
    expect(await api.application.load(generationJobDecider, jobId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(quoted),
    });
    const made = await api.call(
      ...(['POST', '/create-api-key', { name: 'a', scopes: ['audit', 'history'] }] as const),
      { authorization: `Bearer ${api.session}` },
    );
    await api.drained();
    const shown = async (headers?: Record<string, string>) =>
      JSON.stringify(
        (await api.call('GET', '/events/log?type=generation-job-failed.v1&limit=1000', undefined, headers)).body,
      );
    expect(await shown()).toContain(quoted);
    const withheld = await shown({ 'x-api-key': made.body.secret_key as string });
    expect(withheld).toContain(jobId);
    expect(withheld).not.toContain(quoted);
  });
});

describe('what a generation was asked for', () => {
  it('is encrypted on the log, needs the permission `content`, and goes with the version', async () => {
    const api = await sharedTestApi();
    const quoted = 'Hildegard-Quux';
    const job = await generate(api, {
      ...{ task_type: 'classification', labels: ['billing', 'travel'], count: 20, dataset_name: 'asked' },
      ...{
        domain_description: `tickets of ${quoted}`,
      },
    });
    expect(job.status).toBe('ready');
    const stream = `generation-${job.job_id}`;
    const stored = async () => JSON.stringify(await Array.fromAsync(api.application.storedEvents.readStream(stream)));
    expect(await stored()).toContain('"labels":["billing","travel"]');
    expect(await stored()).not.toContain(quoted);
    const made = await api.call(
      ...(['POST', '/create-api-key', { name: 'b', scopes: ['audit', 'history'] }] as const),
      { authorization: `Bearer ${api.session}` },
    );
    await api.drained();
    const shown = async (headers?: Record<string, string>) =>
      JSON.stringify((await api.call('GET', `/events?stream=${stream}`, undefined, headers)).body);
    expect(await shown()).toContain(quoted);
    const withheld = await shown({ 'x-api-key': made.body.secret_key as string });
    expect(withheld).toContain('billing');
    expect(withheld).not.toContain(quoted);

    const { keys } = (await api.application.load(generationJobDecider, job.job_id)) as {
      readonly keys: readonly string[];
    };
    expect(keys).toHaveLength(1);
    const erased = await api.call('DELETE', '/felix/datasets/asked/1?erase=true');
    expect(erased.status).toBe(200);
    expect(erased.body.certificate.keys).toContainEqual(expect.objectContaining({ id: keys[0] }));
    await api.drained();
    expect(await shown()).toContain('billing');
    expect(await shown()).not.toContain(quoted);
    expect(JSON.stringify((await api.call('GET', `/generate/jobs/${job.job_id}`)).body)).not.toContain(quoted);
  });

  it('is erased with the job where no version has its rows, as its certificate says', async () => {
    const api = await sharedTestApi();
    const asked = {
      ...{ task_type: 'classification', labels: ['billing', 'travel'], num_examples: 20 },
      domain_description: 'tickets of Hildegard-Quux',
    };
    const job = await generate(api, asked);
    const path = `/generate/jobs/${job.job_id}`;
    const { made } = (await api.application.load(generationJobDecider, job.job_id)) as GenerationJob;
    expect(await api.application.ports.objectStore.stat(made!.object.key)).not.toBe(null);
    const { status, body } = await api.call('DELETE', `${path}?reason=asked+for&ticket=T-1`);
    expect(status).toBe(200);
    expect(body.certificate).toMatchObject({ job_id: job.job_id, remains: [], keys: [{}, {}] });
    for (const { id } of body.certificate.keys) expect(await api.application.contentKeys!.get(id)).toBe(null);
    expect(await api.application.ports.objectStore.stat(made!.object.key)).toBe(null);
    expect((await api.call('DELETE', path)).body).toEqual(body);
    await api.drained();
    const { events } = (await api.call('GET', `/events?stream=generation-${job.job_id}`)).body;
    expect(JSON.stringify(events)).not.toContain('Hildegard');
    expect(events.at(-1)).toMatchObject({
      type: 'generation-job-erased.v1',
      position: body.certificate.event.position,
    });
    expect(events.at(-1)).toMatchObject({ reason: 'asked for', ticket: 'T-1' });
    const left = (await api.call('GET', path)).body;
    expect(left).toMatchObject({ status: 'ready', erased_at: body.certificate.erased_at });
    expect(left).not.toHaveProperty('data');
    const other = await sharedTestApi();
    expect((await other.call('DELETE', path)).status).toBe(404);
  });

  it('is 409 to erase with the job where a version has its rows', async () => {
    const api = await sharedTestApi();
    const asked = {
      task_type: 'classification',
      labels: ['billing', 'travel'],
      num_examples: 5,
      dataset_name: 'of-job',
    };
    const job = await generate(api, asked);
    const refused = await api.call('DELETE', `/generate/jobs/${job.job_id}`);
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).toContain('DELETE /felix/datasets/of-job/1?erase=true');
  });
});
