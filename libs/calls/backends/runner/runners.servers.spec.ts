import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'nats';
import { spawnRole, type SpawnedRole } from '#apps/demo/system.js';
import { openNatsBus, type NatsBus } from '#ports/bus/nats/index.js';
import { INFERENCE_HEARTBEAT, type InferenceHeartbeat } from '#gpu-runner/contract/inference.js';
import { describeWithServer } from '#test/servers/describe.js';
import { LiveRunners } from './live-runners.js';
import { Runners } from './runners.js';

describeWithServer('nats', ({ address }) => {
  const prefix = `test-${randomUUID()}`;
  const at = `${address}?prefix=${prefix}`;
  let directory: string;
  let bus: NatsBus;
  let runners: SpawnedRole[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-runners-'));
    bus = await openNatsBus(at);
    const settings = {
      ANNEAL_SECRET_KEY: randomBytes(32).toString('base64url'),
      ANNEAL_BUS: at,
      ANNEAL_OBJECT_STORE: `file:${join(directory, 'objects')}`,
    };
    const names = new Set<string>();
    const both = Promise.withResolvers<void>();
    bus.listen(INFERENCE_HEARTBEAT, (body) => {
      if (names.add((body as InferenceHeartbeat).name).size === 2) both.resolve();
    });
    runners = [await spawnRole('gpu-runner', directory, settings), await spawnRole('gpu-runner', directory, settings)];
    await both.promise;
  });
  afterAll(async () => {
    await Promise.all(runners.map((runner) => runner.end()));
    await bus.close();
    const admin = await connect({ servers: address });
    await (await admin.jetstreamManager()).streams.delete(`${prefix}-offers`);
    await admin.close();
    await rm(directory, { recursive: true });
  });

  it('calls are all answered even if a runner is killed during some of them', async () => {
    const calls = new Runners(bus, new LiveRunners(bus));
    const model = { baseModelId: 'anneal/encoder-base-v1', adapter: null };
    const texts = Array.from({ length: 20 }, () => 'then Maria left.');
    const call = { workspaceId: 'w', model, texts, schema: { entities: [{ name: 'person' }] }, threshold: 0.5 };
    let answered = 0;
    const lane = async () => {
      for (let index = 0; index < 100; index += 1) {
        const { results } = await calls.run(call, { deadlineMs: 30_000 });
        expect(results).toHaveLength(20);
        answered += 1;
        if (answered === 300) await runners[0]!.end('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    expect(answered).toBe(1_600);
  });
});
