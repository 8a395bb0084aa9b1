import { jest } from '@jest/globals';
import { MongoNetworkError, MongoServerSelectionError, type MongoClient, type TopologyDescription } from 'mongodb';
import { ReconnectingClient } from './reconnecting-client.js';

const noServer = (...types: string[]) => {
  const servers = new Map(types.map((type, member) => [`host-${member}`, { type }]));
  return new MongoServerSelectionError('no server', { servers } as unknown as TopologyDescription);
};

/** Records the requests to the driver, in order. */
function scripted(connects: (() => Promise<void>)[] = [], now?: () => number) {
  const asked: string[] = [];
  const client = {
    connect: jest.fn(async () => {
      asked.push('connect');
      await connects.shift()?.();
    }),
    close: jest.fn(async () => {
      await new Promise(setImmediate);
      asked.push('closed');
    }),
  };
  const step = (name: string, failure?: Error) => () => {
    asked.push(name);
    return failure ? Promise.reject(failure) : Promise.resolve(name);
  };
  return { asked, step, client: new ReconnectingClient(client as unknown as MongoClient, now) };
}

describe('a client that reconnects', () => {
  it('connects once, before the first of its steps', async () => {
    const { asked, step, client } = scripted();

    await expect(Promise.all([client.run(step('a')), client.run(step('b'))])).resolves.toEqual(['a', 'b']);
    await client.run(step('c'));

    expect(asked).toEqual(['connect', 'a', 'b', 'c']);
  });

  it('reconnects after a step that found no server, once for any number of such steps, when the old client is closed', async () => {
    const { asked, step, client } = scripted();

    const failed = await Promise.allSettled([
      client.run(step('a', noServer('Unknown'))),
      client.run(step('b', noServer('Unknown'))),
    ]);
    await client.run(step('c'));

    expect(failed.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(asked).toEqual(['connect', 'a', 'b', 'closed', 'connect', 'c']);
  });

  it('keeps its connection after any other failure', async () => {
    const { asked, step, client } = scripted();

    await expect(client.run(step('a', new MongoNetworkError('cut')))).rejects.toThrow('cut');
    await client.run(step('b'));

    expect(asked).toEqual(['connect', 'a', 'b']);
  });

  it('keeps it while members answer, for as long as an election lasts', async () => {
    let now = 0;
    const { asked, step, client } = scripted([], () => now);
    const electing = () => client.run(step('a', noServer('Unknown', 'RSSecondary'))).catch(() => undefined);

    for (now of [1_000, 20_999]) await electing();
    await client.run(step('b'));
    for (now of [30_000, 49_999]) await electing();
    expect(asked).toEqual(['connect', 'a', 'a', 'b', 'a', 'a']);
    now = 50_000;
    await electing();
    await client.run(step('b'));

    expect(asked.slice(6)).toEqual(['a', 'closed', 'connect', 'b']);
  });

  it('retries to connect after a failure', async () => {
    const { asked, step, client } = scripted([() => Promise.reject(noServer())]);

    await expect(client.run(step('a'))).rejects.toThrow('no server');
    await client.run(step('b'));

    expect(asked.filter((what) => what !== 'closed')).toEqual(['connect', 'connect', 'b']);
  });
});
