import type { DatasetEvent } from '#domain/dataset/index.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import {
  artifact,
  at,
  checkpoint,
  checkpointDeleted,
  checkpointSaved,
  evaluationCompleted,
  jobCompleted,
} from '#test/support/training-events.js';
import { storage } from './projection.js';

const contents = {
  ...{ rows: 2, heads: [], labels: [], entityLabels: [], classLabels: [], multiLabel: false, columns: [] },
  format: 'jsonl',
} as const;
const inLog = (event: DatasetEvent) => ({ ...event, stream: 'dataset-d1' });
const sealed = (versionId: string) =>
  inLog({
    type: 'dataset-version-sealed.v1',
    data: { versionId, source: { key: 's', size: 9, sha256: 'aa' }, sealedAt: at(1) },
  });
const ready = (versionId: string) =>
  inLog({
    type: 'dataset-version-ready.v1',
    data: { versionId, contents, object: { key: 'r', size: 20, sha256: 'bb' }, readyAt: at(2) },
  });
const deleted = (versionId: string) =>
  inLog({ type: 'dataset-version-deleted.v1', data: { versionId, deletedAt: at(3) } });
const restored = (versionId: string) =>
  inLog({ type: 'dataset-version-restored.v1', data: { versionId, restoredAt: at(4) } });
const purged = (versionId: string) =>
  inLog({ type: 'dataset-version-purged.v1', data: { versionId, purgedAt: at(5) } });

describe('the storage read model', () => {
  it("counts a version's upload and rows, and after deletion only the remaining bytes", async () => {
    const documents = await expectLiveEqualsRebuilt(storage, [
      ...[sealed('v1'), ready('v1')],
      ...[sealed('v2'), ready('v2'), deleted('v2')],
      ...[sealed('v3'), ready('v3'), deleted('v3'), restored('v3')],
      ...[sealed('v4'), ready('v4'), deleted('v4'), purged('v4')],
      ...[sealed('v5'), ready('merged')],
    ]);
    expect(
      [...documents].map(([id, { bytes, rows, keptBytes, stream }]) => [id, bytes, rows, keptBytes, stream]),
    ).toEqual([
      ['merged', 20, 2, 0, 'd1'],
      ['v1', 29, 2, 0, 'd1'],
      ['v2', 0, 0, 29, 'd1'],
      ['v3', 29, 2, 0, 'd1'],
      ['v5', 9, 0, 0, 'd1'],
    ]);
  });

  it("counts the files beside an evaluation's predictions, which older events do not name", async () => {
    const older = evaluationCompleted('e1');
    const newer = evaluationCompleted('e2');
    if (newer.type !== 'evaluation-completed.v1') throw new Error(newer.type);
    const predictions = { ...newer.data.predictions, totalSize: 50 };
    const documents = await expectLiveEqualsRebuilt(storage, [
      older,
      { ...newer, data: { ...newer.data, predictions } },
    ]);
    expect([...documents].map(([id, { bytes }]) => [id, bytes])).toEqual([
      ['e1', 9],
      ['e2', 50],
    ]);
  });

  it('counts existing checkpoints, and the adapter', async () => {
    const large = { ...artifact, files: [...artifact.files, { name: 'b', sha256: 'dd', size: 100 }] };
    const documents = await expectLiveEqualsRebuilt(storage, [
      checkpointSaved('j1', checkpoint('c1', 1)),
      checkpointSaved('j1', { ...checkpoint('c2', 2), folder: large }),
      checkpointDeleted('j1', 'c1'),
      jobCompleted('j1'),
    ]);
    expect([...documents].map(([id, { bytes, workspaceId }]) => [id, bytes, workspaceId])).toEqual([['j1', 102, 'w1']]);
  });
});
