import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { datasetDecider } from '#domain/dataset/index.js';
import { NO_STREAM, type RecordedEvent } from '#ports/event-store/port.js';
import { evolve } from '#log/projector/handlers.js';
import { openRunnerBench } from '#test/support/runner-bench.js';
import { APPEARS_WITHIN_MS, CLAIMS, datasetClaims, pendingReleases, type StandingClaims } from './process-manager.js';

const claimedAt = '2030-01-02T03:04:05.678Z';
const now = Date.parse(claimedAt);
const recorded = (type: string, data: object, stream = 'dataset-d1') =>
  ({ type, data, stream, metadata: { workspaceId: 'w1' } }) as unknown as RecordedEvent;
const claim = (claimantId: string, stream?: string) =>
  recorded('dataset-version-claimed.v1', { versionId: 'v1', claimantKind: 'job', claimantId, claimedAt }, stream);
const ofJob = (type: string, jobId: string) => recorded(`training-job-${type}.v1`, { jobId }, `job-${jobId}`);
const afterOne = (claims: StandingClaims, event: RecordedEvent) => evolve(CLAIMS, claims, event);
const after = (...events: RecordedEvent[]): StandingClaims => events.reduce(afterOne, new Map());
const releases = (claims: StandingClaims, at = now) =>
  pendingReleases(claims, at).map(({ datasetId, claimantId }) => `${datasetId} of ${claimantId}`);

describe('claims on datasets', () => {
  it('stay while the job has not ended', () => {
    expect(releases(after(claim('j1'), ofJob('requested', 'j1')), now + 10 * APPEARS_WITHIN_MS)).toEqual([]);
  });

  it.each(['completed', 'failed', 'cancelled', 'deleted'])('are released when the job is %s', (end) => {
    const claims = after(
      claim('j1'),
      claim('j1', 'dataset-d2'),
      claim('j2'),
      ofJob('requested', 'j1'),
      ofJob(end, 'j1'),
    );
    expect(releases(claims)).toEqual(['d1 of j1', 'd2 of j1']);
  });

  it('are released if the claimant has not appeared after a minute', () => {
    expect(releases(after(claim('j1')), now + APPEARS_WITHIN_MS)).toEqual([]);
    expect(releases(after(claim('j1')), now + APPEARS_WITHIN_MS + 1)).toEqual(['d1 of j1']);
  });

  it('are gone once released', () => {
    const released = recorded('dataset-claims-released.v1', { claimantKind: 'job', claimantId: 'j1' });
    expect(after(claim('j1'), ofJob('requested', 'j1'), ofJob('failed', 'j1'), released).size).toBe(0);
  });

  it('are distinct for an evaluation and a job with the same id', () => {
    const evaluation = recorded('evaluation-failed.v1', { evaluationId: 'j1' }, 'evaluation-j1');
    expect(releases(after(claim('j1'), ofJob('requested', 'j1'), evaluation))).toEqual([]);
  });

  it('are kept for a running job by a manager that has not seen its events yet', async () => {
    const bench = await openRunnerBench();
    const { eventStore } = bench.application.ports;
    const claims = ['begun', 'absent'].map((claimantId) => ({
      type: 'dataset-version-claimed.v1',
      data: { versionId: 'v1', claimantKind: 'job' as const, claimantId, requested: 'latest' as const, claimedAt },
    }));
    const context = systemContext('test', 'w1');
    const events = claims.map((event, index) => envelope('dataset-d1', event, index, context));
    await eventStore.append('dataset-d1', NO_STREAM, events);
    await bench.requestJob('begun', ['row']);
    const manager = datasetClaims(bench.application);
    const behind = (await Array.fromAsync(eventStore.readStream('dataset-d1'))).reduce(afterOne, manager.initial);
    for (const command of manager.pending(behind, now + 2 * APPEARS_WITHIN_MS))
      await manager.execute(command, AbortSignal.timeout(300_000));
    const { claims: standing } = await bench.application.load(datasetDecider, 'd1');
    expect(standing.map(({ claimantId }) => claimantId)).toEqual(['begun']);
    await bench.close();
  });
});
