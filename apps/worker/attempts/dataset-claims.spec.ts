import type { RecordedEvent } from '#event-store/port.js';
import { APPEARS_WITHIN_MS, evolveClaims, pendingReleases, type StandingClaims } from './dataset-claims.js';

const claimedAt = '2030-01-02T03:04:05.678Z';
const now = Date.parse(claimedAt);
const recorded = (type: string, data: object, stream = 'dataset-d1') =>
  ({ type, data, stream, metadata: { workspaceId: 'w1' } }) as unknown as RecordedEvent;
const claim = (claimantId: string, stream?: string) =>
  recorded('dataset-version-claimed.v1', { versionId: 'v1', claimantKind: 'job', claimantId, claimedAt }, stream);
const ofJob = (type: string, jobId: string) => recorded(`training-job-${type}.v1`, { jobId }, `job-${jobId}`);
const after = (...events: RecordedEvent[]): StandingClaims => events.reduce(evolveClaims, new Map());
const releases = (claims: StandingClaims, at = now) =>
  pendingReleases(claims, at).map(({ datasetId, claimantId }) => `${datasetId} of ${claimantId}`);

describe('claims on datasets', () => {
  test('stand while the job has not ended', () => {
    expect(releases(after(claim('j1'), ofJob('requested', 'j1')), now + 10 * APPEARS_WITHIN_MS)).toEqual([]);
  });

  test.each(['completed', 'failed', 'cancelled', 'deleted'])('are released when the job is %s', (end) => {
    const claims = after(
      claim('j1'),
      claim('j1', 'dataset-d2'),
      claim('j2'),
      ofJob('requested', 'j1'),
      ofJob(end, 'j1'),
    );
    expect(releases(claims)).toEqual(['d1 of j1', 'd2 of j1']);
  });

  test('are released when nobody has appeared a minute later', () => {
    expect(releases(after(claim('j1')), now + APPEARS_WITHIN_MS)).toEqual([]);
    expect(releases(after(claim('j1')), now + APPEARS_WITHIN_MS + 1)).toEqual(['d1 of j1']);
  });

  test('are gone once they were released', () => {
    const released = recorded('dataset-claims-released.v1', { claimantKind: 'job', claimantId: 'j1' });
    expect(after(claim('j1'), ofJob('requested', 'j1'), ofJob('failed', 'j1'), released).size).toBe(0);
  });

  test('of an evaluation and of a job with the same id are two', () => {
    const evaluation = recorded('evaluation-failed.v1', { evaluationId: 'j1' }, 'evaluation-j1');
    expect(releases(after(claim('j1'), ofJob('requested', 'j1'), evaluation))).toEqual([]);
  });
});
