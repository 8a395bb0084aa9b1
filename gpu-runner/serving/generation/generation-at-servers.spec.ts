import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '#domain/json.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { openObjectStore } from '#ports/object-store/open.js';
import { eventually } from '#test/support/eventually.js';
import { Engines } from '#gpu-runner/contract/engines.js';
import { generationSubject, type GenerateCall } from '#gpu-runner/contract/generation.js';
import { serveInference } from '../inference-server.js';
import { running } from './told-decoders.fixture.js';

const BASE = 'test/told';
const generation = { hasChatTemplate: false, features: [] };

describe('generations on generation servers', () => {
  it("may be more numerous at a time than those in an engine's processes", async () => {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-generations-'));
    const objectStore = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
    const bus = new InProcessBus();
    const engine = {
      ...{ name: 'told', version: '1', module: 'file:///nothing-here.js', embedders: [] },
      baseModels: [{ id: BASE, directory: '/told', maxTokens: 8, heads: [], generation }],
      servers: new Map([
        [BASE, { module: new URL('./told-decoders.fixture.js', import.meta.url).href, isRemote: true }],
      ]),
      resolveSettings: () => {
        throw new Error('nobody trains it');
      },
    };
    const cacheDirectory = join(directory, 'cache');
    const server = serveInference({ bus, name: 'gpu.1', objectStore, cacheDirectory, engines: new Engines([engine]) });
    const call: GenerateCall = {
      workspaceId: 'w',
      model: { baseModelId: BASE, adapter: null },
      request: { input: { prompt: 'hold' }, maxTokens: null },
    };
    const calls = Array.from({ length: 40 }, () =>
      Array.fromAsync(bus.call(generationSubject(BASE), call as unknown as Json, { deadlineMs: 60_000 })),
    );
    await eventually(() => running.length === 40);
    for (const each of [...running]) each.finish();
    expect(new Set((await Promise.all(calls)).map((frames) => frames.length))).toEqual(new Set([2]));
    await server.close();
    await bus.close();
    await objectStore.close();
    await rm(directory, { recursive: true });
  });
});
