import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { reportedBackground } from '#primitives/background/reported.fixture.js';
import { reportSubject, type ReportRequest } from '#gpu-runner/contract/work.js';
import { Reports } from './reports.js';

const report = { kind: 'failed', reason: 'x' } as const;

describe("a runner's reports", () => {
  let bus: InProcessBus;
  let unwanted: number;
  let reports: Reports;
  let seen: ReportRequest[];
  let lines: readonly string[];
  beforeEach(() => {
    bus = new InProcessBus();
    unwanted = 0;
    seen = [];
    const reported = reportedBackground();
    ({ lines } = reported);
    const onUnwanted = () => void (unwanted += 1);
    reports = new Reports(
      bus,
      'training',
      { id: 'j1', attempt: 1 },
      { runnerId: 'host/b1' },
      onUnwanted,
      reported.background,
    );
  });
  afterEach(() => bus.close());

  /** @param answer what the server does with the report of that number, from 1 */
  const serve = (answer: (count: number) => Promise<{ wanted: boolean }>) =>
    bus.serve(reportSubject('training'), (body) => {
      seen.push(body as unknown as ReportRequest);
      return answer(seen.length);
    });
  const fails = (code: string) => Promise.reject(Object.assign(new Error(code), { code }));

  it('are repeated unchanged until acknowledged', async () => {
    serve((count) => (count < 3 ? fails('unavailable') : Promise.resolve({ wanted: true })));
    reports.send(report);
    await reports.drained();
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(unwanted).toBe(0);
    expect(lines).toEqual(['report-attempt: unavailable', 'report-attempt works again']);
  });

  it('wait until a worker receives them', async () => {
    reports.send(report);
    serve(() => Promise.resolve({ wanted: true }));
    await reports.drained();
    expect(seen).toHaveLength(1);
  });

  it('are sent in order, each with its own id, log lines before what follows them', async () => {
    serve((count) => (count === 1 ? fails('unavailable') : Promise.resolve({ wanted: true })));
    reports.log.add({ timestamp: '2030-01-01T00:00:00.000Z', level: 'info', message: 'a', source: 'training' });
    reports.send({ kind: 'lost', reason: 'y', orderly: true, cause: 'runner' });
    reports.send(report);
    await reports.drained();
    expect(seen.map((each) => each.report.kind)).toEqual(['log', 'log', 'lost', 'failed']);
    expect(new Set(seen.map(({ commandId }) => commandId)).size).toBe(3);
  });

  it('learn that the attempt is no longer wanted', async () => {
    serve(() => Promise.resolve({ wanted: false }));
    reports.send(report);
    await reports.drained();
    expect(unwanted).toBe(1);
  });

  it('are not repeated if the answer would be the same', async () => {
    serve(() => fails('not_found'));
    reports.send(report);
    await reports.drained();
    expect([seen.length, unwanted, lines]).toEqual([1, 1, []]);
  });

  it('are dropped when time is up', async () => {
    reports.send(report);
    await reports.drained(20);
    serve(() => Promise.resolve({ wanted: true }));
    expect(seen).toEqual([]);
  });
});
