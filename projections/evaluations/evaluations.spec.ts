import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import {
  at,
  evaluationClaimed,
  evaluationCompleted,
  evaluationDeleted,
  evaluationFailed,
  evaluationRequested,
} from '#test/support/training-events.js';
import { evaluations } from './projection.js';

const after = (...events: Parameters<typeof expectLiveEqualsRebuilt>[1]) =>
  expectLiveEqualsRebuilt(evaluations, events);

describe('the read model of evaluations', () => {
  it('follows one from its request to its figures, and names its predictions', async () => {
    const running = [evaluationRequested('e1'), evaluationClaimed('e1')];
    expect((await after(...running)).get('e1')).toMatchObject({
      id: 'e1',
      modelId: 'j1',
      datasetName: 'd',
      status: 'running',
      metrics: null,
      completedAt: null,
    });
    expect((await after(...running, evaluationCompleted('e1'))).get('e1')).toMatchObject({
      status: 'complete',
      metrics: { f1: 0.9 },
      sampleCount: 10,
      predictions: { objectKey: 'k', sha256: 'dd' },
      completedAt: at(2),
    });
  });

  it('shows why one failed', async () => {
    const documents = await after(evaluationRequested('e1'), evaluationClaimed('e1'), evaluationFailed('e1'));
    expect(documents.get('e1')).toMatchObject({ status: 'failed', errorMessage: 'The adapter is damaged.' });
  });

  it('keeps nothing of a deleted one', async () => {
    const documents = await after(evaluationRequested('e1'), evaluationCompleted('e1'), evaluationDeleted('e1'));
    expect(documents.size).toBe(0);
  });
});
