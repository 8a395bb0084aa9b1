import { randomUUID } from 'node:crypto';
import { connect } from 'nats';
import { Toxiproxy, type Proxy } from 'toxiproxy-node-client';
import { describeWithServer } from '#test/servers/describe.js';
import { freePort } from '#primitives/free-port.js';
import { eventually } from '#test/support/eventually.js';
import { BusUnavailableError, callOnce, ServerLostError } from '../port.js';
import { isServing } from './serving.fixture.js';
import { openNatsBus, parseNatsAddress, type NatsBus, type OpenNatsBusOptions } from './index.js';

describeWithServer('nats', ({ address }) => {
  describeWithServer('toxiproxy', ({ address: control }) => {
    const options = { deadlineMs: 10_000 };
    let prefix: string;
    let proxy: Proxy;
    let near: NatsBus;
    const buses: NatsBus[] = [];

    beforeEach(async () => {
      prefix = `test-${randomUUID()}`;
      const [upstream] = parseNatsAddress(address).servers;
      proxy = await new Toxiproxy(control).createProxy({
        name: prefix,
        listen: `127.0.0.1:${await freePort()}`,
        upstream: upstream!,
      });
      near = await open(address);
      near.serve('echo', async (body) => body);
      await isServing(near);
    });
    afterEach(async () => {
      for (const bus of buses.splice(0)) await bus.close();
      await proxy.remove();
      const admin = await connect({ servers: address });
      await (await admin.jetstreamManager()).streams.delete(`${prefix}-offers`);
      await admin.close();
    });

    const open = async (at: string, more: OpenNatsBusOptions = {}): Promise<NatsBus> => {
      const bus = await openNatsBus(`${at}?prefix=${prefix}`, { onError: () => undefined, ...more });
      buses.push(bus);
      return bus;
    };
    const openFar = (more?: OpenNatsBusOptions) => open(`nats://${proxy.listen}`, more);
    const spoil = (type: 'latency' | 'bandwidth' | 'timeout', attributes: object) =>
      Promise.all(
        (['upstream', 'downstream'] as const).map((stream) =>
          proxy.addToxic({ name: `${type}-${stream}`, type, stream, toxicity: 1, attributes }),
        ),
      );

    it('a slow network delivers large bodies whole, and offers are taken', async () => {
      const far = await openFar();
      await spoil('latency', { latency: 30, jitter: 10 });
      await spoil('bandwidth', { rate: 4_000 });
      const large = 'x'.repeat(4 * 1024 * 1024);
      expect((await callOnce(far, 'echo', large, options)) === large).toBe(true);
      const taken = Promise.withResolvers<unknown>();
      far.take('jobs', async (body) => taken.resolve(body));
      await far.offer('jobs', '1', 'hint');
      expect(await taken.promise).toBe('hint');
    });

    it('a cut network ends calls and offers in time, and everything continues when it returns', async () => {
      const far = await openFar({ offerDeadlineMs: 300 });
      far.serve('far', async () => 'here');
      const begun = Promise.withResolvers<void>();
      const told = Promise.withResolvers<void>();
      near.serve('slow', async (_body, { signal }) => {
        signal.addEventListener('abort', () => told.resolve());
        begun.resolve();
        await told.promise;
        return null;
      });
      await isServing(near);
      const call = callOnce(far, 'slow', null, options).catch((error: unknown) => error);
      await begun.promise;
      await proxy.update({ enabled: false, listen: proxy.listen, upstream: proxy.upstream });
      expect(await call).toBeInstanceOf(BusUnavailableError);
      await expect(far.offer('jobs', '1', 'hint')).rejects.toThrow(BusUnavailableError);
      await told.promise;
      await proxy.update({ enabled: true, listen: proxy.listen, upstream: proxy.upstream });
      await eventually(() => far.isConnected);
      // The stream must first be created, which may take longer than this bus's deadline.
      for (let taken = false; !taken;)
        taken = await far.offer('jobs', '1', 'hint').then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(BusUnavailableError);
            return false;
          },
        );
      expect(await callOnce(far, 'echo', 1, options)).toBe(1);
    });

    it('a network that drops everything ends calls and offers in time', async () => {
      const far = await openFar({ offerDeadlineMs: 500, firstWordMs: 500, silenceMs: 500 });
      await callOnce(far, 'echo', 1, options);
      await spoil('timeout', { timeout: 0 });
      await expect(callOnce(far, 'echo', 1, options)).rejects.toThrow(ServerLostError);
      await expect(far.offer('jobs', '1', 'hint')).rejects.toThrow(BusUnavailableError);
    });
  });
});
