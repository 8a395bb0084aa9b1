import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { at, checkpoint, checkpointDeleted, checkpointSaved } from '#test/support/training-events.js';
import { trainingCheckpoints } from './projection.js';

describe('the read model of checkpoints', () => {
  it('contains each under its own id, until it is deleted', async () => {
    const { checkpointId: _, ...second } = checkpoint('c2', 2);
    const documents = await expectLiveEqualsRebuilt(trainingCheckpoints, [
      checkpointSaved('j1', checkpoint('c1', 1)),
      checkpointSaved('j1', checkpoint('c2', 2)),
      checkpointDeleted('j1', 'c1'),
    ]);
    expect([...documents]).toEqual([
      ['c2', { id: 'c2', jobId: 'j1', workspaceId: 'w1', createdAt: at(30), ...second }],
    ]);
  });
});
