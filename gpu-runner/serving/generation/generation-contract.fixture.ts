import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '#domain/json.js';
import { CallTimedOutError, NoServerError, type Bus } from '#ports/bus/port.js';
import { openObjectStore } from '#ports/object-store/open.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { eventually } from '#test/support/eventually.js';
import { Engines } from '#gpu-runner/contract/engines.js';
import {
  generationSubject,
  generationSubjectOf,
  type GenerateCall,
  type GenerateFrame,
} from '#gpu-runner/contract/generation.js';
import { INFERENCE_HEARTBEAT, type InferenceHeartbeat } from '#gpu-runner/contract/inference.js';
import type { RegisteredEngine } from '#gpu-runner/engines/registered-engine.js';
import { MAX_OF_A_WORKSPACE } from './generation-server.js';
import { serveInference, type InferenceServer } from '../inference-server.js';
import { closed, restart, running } from './told-decoders.fixture.js';

const BASE = 'test/told';
const told: RegisteredEngine = {
  ...{ name: 'told', version: '1', module: new URL('./told-decoders.fixture.js', import.meta.url).href, embedders: [] },
  baseModels: [
    { id: BASE, directory: '/told', maxTokens: 8, heads: [], generation: { hasChatTemplate: false, features: [] } },
  ],
  resolveSettings: () => {
    throw new Error('nobody trains it');
  },
};

/** The promises of generations over a bus. @param open two ends of one bus: for the caller, and for the runner */
export function generationContract(
  name: string,
  open: () => Promise<{ readonly caller: Bus; readonly runner: Bus }>,
): void {
  describe(`generations over ${name}`, () => {
    let ends: Awaited<ReturnType<typeof open>>;
    let directory: string;
    let objectStore: ObjectStore;
    let server: InferenceServer;
    let generates: readonly string[] | undefined;

    beforeEach(async () => {
      directory = await mkdtemp(join(tmpdir(), 'anneal-generations-'));
      objectStore = await openObjectStore({ kind: 'folder', directory: join(directory, 'objects') });
      ends = await open();
      ends.caller.listen(INFERENCE_HEARTBEAT, (body) => ({ generates } = body as InferenceHeartbeat));
      const cacheDirectory = join(directory, 'cache');
      server = serveInference({
        ...{ bus: ends.runner, name: 'gpu.1', objectStore, cacheDirectory, engines: new Engines([told]), drainMs: 1 },
      });
      closed.length = 0;
      // A bus of servers takes a moment to know who serves.
      await eventually(() => frames(call('w', null)));
    });
    afterEach(async () => {
      for (const each of [...running]) each.finish();
      await server.close();
      await new Set([ends.caller, ends.runner]).values().reduce(async (before, bus) => {
        await before;
        await bus.close();
      }, Promise.resolve());
      await objectStore.close();
      await rm(directory, { recursive: true });
    });

    const call = (workspaceId: string, prompt: string | null): GenerateCall => ({
      workspaceId,
      model: { baseModelId: BASE, adapter: null },
      request: prompt === null ? null : { input: { prompt }, maxTokens: null },
    });
    const begin = (
      of: GenerateCall,
      more: { deadlineMs?: number; signal?: AbortSignal } = {},
      subject = generationSubject(BASE),
    ) =>
      ends.caller.call(subject, of as unknown as Json, {
        deadlineMs: 60_000,
        ...more,
      }) as AsyncIterable<unknown> as AsyncIterable<GenerateFrame>;
    const frames = (...of: Parameters<typeof begin>) => Array.fromAsync(begin(...of));
    const ended = [
      { type: 'text', text: 'done' },
      {
        ...{ type: 'end', reason: 'stop', inputTokens: 1, outputTokens: 1 },
        servedBy: { engine: { name: 'told', version: '1' }, weightsSha256: null },
      },
    ];

    it('come in pieces, from any runner that has the base and from a named one, which its heartbeats tell', async () => {
      expect(await frames(call('w', 'say'))).toEqual(ended);
      expect(await frames(call('w', 'say'), {}, generationSubjectOf('gpu.1'))).toEqual(ended);
      await expect(frames(call('w', 'say'), {}, generationSubject('test/other'))).rejects.toThrow(NoServerError);
      expect(await eventually(() => generates)).toEqual([BASE]);
    });

    it('begin in fair turns: a workspace with few gets its own before one with many', async () => {
      const many = Array.from({ length: 40 }, () => frames(call('many', 'hold')));
      await eventually(() => running.length === 12);
      const few = Array.from({ length: 2 }, () => frames(call('few', 'say')));
      expect(await Promise.all(few)).toEqual([ended, ended]);
      const letGo = setInterval(() => running.forEach((each) => each.finish()), 5);
      expect(new Set((await Promise.all(many)).map((each) => each.length))).toEqual(new Set([2]));
      clearInterval(letGo);
    });

    it('are refused beyond the most of one workspace, and taken from another', async () => {
      const held = Array.from({ length: MAX_OF_A_WORKSPACE }, () => frames(call('full', 'hold')));
      const full = { waiting: MAX_OF_A_WORKSPACE, mostWaiting: MAX_OF_A_WORKSPACE };
      const one = await eventually(async () => {
        const probe = new AbortController();
        for await (const frame of begin(call('full', 'say'), { signal: probe.signal }))
          return 'waiting' in frame ? frame : null;
        return null;
      });
      expect(one).toEqual(full);
      expect(await frames(call('other', 'say'))).toEqual(ended);
      const letGo = setInterval(() => running.forEach((each) => each.finish()), 5);
      await Promise.all(held);
      clearInterval(letGo);
    });

    it('run ahead of a slow reader by a few pieces only, and end when the reader leaves', async () => {
      const reading = begin(call('w', 'endless'))[Symbol.asyncIterator]();
      await reading.next();
      const [own] = running;
      let before = -1;
      // The engine has now given all that fits between the two ends.
      await eventually(() => before === (before = own!.taken));
      expect(own!.taken).toBeLessThan(8);
      for (let piece = 0; piece < 20; piece += 1) await reading.next();
      expect(own!.taken).toBeGreaterThanOrEqual(20);
      await reading.return!();
      await eventually(() => running.length === 0);
    });

    it('leave the queue and the model when the caller aborts, whose places others get', async () => {
      const gone = new AbortController();
      const calls = Array.from({ length: 30 }, () => frames(call('w', 'hold'), { signal: gone.signal }));
      await eventually(() => running.length === 12);
      gone.abort(new Error('the client has left'));
      for (const each of calls) await expect(each).rejects.toThrow('the client has left');
      await eventually(() => running.length === 0);
      expect(await frames(call('w', 'say'))).toEqual(ended);
    });

    it('leave their places when the caller aborts while the model comes back into memory', async () => {
      const restarted = Promise.withResolvers<void>();
      restart.done = restarted.promise;
      const gone = new AbortController();
      const calls = Array.from({ length: 30 }, () => frames(call('w', 'say'), { signal: gone.signal }));
      await eventually(() => restart.waiting === 12);
      gone.abort(new Error('the client has left'));
      for (const each of calls) await expect(each).rejects.toThrow('the client has left');
      // The calls before still wait for the restart.
      restart.done = Promise.resolve();
      expect(await frames(call('w', 'say'), { deadlineMs: 5_000 })).toEqual(ended);
      restarted.resolve();
    });

    it('end at their deadline', async () => {
      await expect(frames(call('w', 'hold'), { deadlineMs: 200 })).rejects.toThrow(CallTimedOutError);
      await eventually(() => running.length === 0);
    });

    it('say in the middle that the engine was lost', async () => {
      const got: GenerateFrame[] = [];
      const reading = (async () => {
        for await (const frame of begin(call('w', 'lost'))) got.push(frame);
      })();
      await expect(reading).rejects.toMatchObject({ code: 'unavailable', message: 'its process was lost' });
      expect(got).toEqual(ended.slice(0, 1));
    });

    it('are cut off when the runner is shut down and they take too long', async () => {
      const calls = Array.from({ length: 14 }, () => frames(call('w', 'hold')));
      await eventually(() => running.length === 12);
      const ends = Promise.allSettled(calls);
      await server.close();
      for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'unavailable' } });
      expect(running).toEqual([]);
    });

    it('are cut off when the runner is shut down though their reader takes nothing', async () => {
      const reading = begin(call('w', 'endless'), { deadlineMs: 600_000 })[Symbol.asyncIterator]();
      await reading.next();
      await server.close();
      await eventually(() => running.length === 0);
      const readOn = async () => {
        while (!(await reading.next()).done);
      };
      await expect(readOn()).rejects.toMatchObject({ code: 'unavailable' });
    });

    it('close their models with the runner', async () => {
      await server.close();
      expect(closed).toEqual(['/told']);
    });
  });
}
