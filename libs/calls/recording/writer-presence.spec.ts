import type { Coordination, Entry } from '#ports/coordination/port.js';
import { reportedBackground } from '#primitives/background/reported.fixture.js';
import { WriterPresence } from './writer-presence.js';

describe('the presence of a writer', () => {
  it('logs that coordination failed, and is reported again once it works', async () => {
    const { lines, background } = reportedBackground();
    const { promise, resolve } = Promise.withResolvers<void>();
    const answers = ['away', 'away', null, null];
    const compareAndSet = async (): Promise<Entry> => {
      if (answers.length === 1) resolve();
      const message = answers.shift();
      if (message) throw new Error(message);
      return { version: '1' } as unknown as Entry;
    };
    const coordination = { compareAndSet, get: async () => null } as unknown as Coordination;
    const presence = new WriterPresence(coordination, 'w1', background);
    presence.begin();
    await promise;
    presence.end();
    expect(lines).toEqual(['report-call-writer: away', 'report-call-writer works again']);
  });

  it('ends once no call is open, and begins again with the next call', async () => {
    const { background } = reportedBackground();
    let reports = 0;
    let reported = Promise.withResolvers<void>();
    const compareAndSet = async (): Promise<Entry> => {
      reports += 1;
      reported.resolve();
      return { version: '1' } as unknown as Entry;
    };
    const coordination = { compareAndSet, get: async () => null } as unknown as Coordination;
    const presence = new WriterPresence(coordination, 'w1', background);
    presence.begin();
    await reported.promise;
    presence.end();
    const turns = async () => {
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    };
    await turns();
    const ended = reports;
    await turns();
    expect(reports).toBe(ended);
    reported = Promise.withResolvers<void>();
    presence.begin();
    await reported.promise;
    presence.end();
    expect(reports).toBeGreaterThan(ended);
  });
});
