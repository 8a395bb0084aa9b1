import { randomUUID } from 'node:crypto';
import { generationJobDecider } from '#domain/generation-job/index.js';
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
});
