import type { DatasetEvent } from '#domain/dataset/index.js';
import type { Projection } from '#log/projector/projection.js';
import { expectLiveEqualsRebuilt } from '#test/support/live-equals-rebuilt.js';
import { datasetVersions } from '../dataset-versions/projection.js';
import { datasets } from './projection.js';

const at = (minute: number) => `2030-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const inLog = (event: DatasetEvent) => ({ ...event, stream: 'dataset-d1' });

const initialized = (number: number, projectId: string | null = null) =>
  inLog({
    type: 'dataset-version-initialized.v1',
    data: {
      versionId: `v${number}`,
      workspaceId: 'w1',
      name: 'tickets',
      versionNumber: number,
      datasetType: number === 2 ? 'decoder' : 'ner',
      kind: 'training',
      generationType: 'upload',
      format: null,
      fileName: null,
      columnMapping: {},
      projectId,
      uploadKey: 'u',
      initializedAt: at(number),
    },
  });
const source = { key: 'source', size: 9, sha256: 'aa' };
const sealed = (versionId: string) =>
  inLog({ type: 'dataset-version-sealed.v1', data: { versionId, source, sealedAt: at(10) } });
const converting = (versionId: string, attempt: number) =>
  inLog({
    type: 'dataset-version-conversion-started.v1',
    data: { versionId, attempt, worker: 'a', startedAt: at(11) },
  });
const validating = (versionId: string, attempt: number) =>
  inLog({ type: 'dataset-version-validation-started.v1', data: { versionId, attempt, startedAt: at(12) } });
const contents = {
  rows: 2,
  heads: ['entities'],
  labels: ['city'],
  entityLabels: ['city'],
  classLabels: [],
  multiLabel: false,
  format: 'jsonl',
  columns: ['text', 'entities'],
} as const;
const ready = (versionId: string) =>
  inLog({ type: 'dataset-version-ready.v1', data: { versionId, contents, object: source, readyAt: at(13) } });
const failed = (versionId: string) =>
  inLog({
    type: 'dataset-version-failed.v1',
    data: { versionId, reason: 'no rows', rowErrors: null, failedAt: at(14) },
  });
const deleted = (versionId: string) =>
  inLog({ type: 'dataset-version-deleted.v1', data: { versionId, deletedAt: at(15) } });

const restored = (versionId: string) =>
  inLog({ type: 'dataset-version-restored.v1', data: { versionId, restoredAt: at(16) } });

const documents = async (projection: Projection<never>, events: readonly ReturnType<typeof inLog>[]) =>
  Object.fromEntries(await expectLiveEqualsRebuilt(projection as unknown as Projection, events));

describe('the read model of dataset versions', () => {
  const whole = [sealed('v1'), converting('v1', 1), converting('v1', 2), validating('v1', 2), ready('v1')];

  it('shows each in its state', async () => {
    const statuses = [];
    for (let seen = 0; seen <= whole.length; seen += 1) {
      const { v1 } = await documents(datasetVersions as never, [initialized(1), ...whole.slice(0, seen)]);
      statuses.push(v1?.['status']);
    }
    expect(statuses).toEqual(['initialized', 'uploading', 'converting', 'converting', 'validating', 'ready']);
  });

  it('shows ready ones, the reasons of failed ones, and deleted ones as deleted', async () => {
    const log = [
      initialized(1),
      initialized(2),
      initialized(3),
      ...whole,
      sealed('v2'),
      converting('v2', 1),
      failed('v2'),
    ];
    const found = await documents(datasetVersions as never, [...log, deleted('v3')]);
    expect(found).toMatchObject({
      v1: {
        id: 'v1',
        workspaceId: 'w1',
        name: 'tickets',
        versionNumber: 1,
        status: 'ready',
        contents,
        updatedAt: at(13),
      },
      v2: { id: 'v2', status: 'failed', reason: 'no rows', deleted: false },
      v3: { id: 'v3', status: 'deleted', deleted: true },
    });
  });

  it('shows a restored one as before', async () => {
    const log = [initialized(1), ...whole];
    const { v1: before } = await documents(datasetVersions as never, log);
    const { v1: after } = await documents(datasetVersions as never, [...log, deleted('v1'), restored('v1')]);
    expect(after).toEqual({ ...before, updatedAt: at(16) });
  });

  it('shows merges and imports from the hub until they are ready or failed', async () => {
    const merging = inLog({
      type: 'dataset-version-merge-requested.v1',
      data: { versionId: 'v1', sources: [], contents, requestedAt: at(2) },
    });
    const from = { repoId: 'a/b', revision: null, commit: 'c', config: 'default', split: 'train', files: [] };
    const importing = inLog({
      type: 'dataset-version-import-requested.v1',
      data: { versionId: 'v2', from: { ...from, withToken: false }, requestedAt: at(2) },
    });
    const begun = [initialized(1), merging, initialized(2), importing];
    expect(await documents(datasetVersions as never, begun)).toMatchObject({
      v1: { status: 'merging', contents },
      v2: { status: 'importing', from },
    });
    expect(await documents(datasetVersions as never, [...begun, ready('v1'), failed('v2')])).toMatchObject({
      v1: { status: 'ready', object: source, source },
      v2: { status: 'failed', source: null },
    });
  });
});

describe('the read model of datasets', () => {
  const one = async (events: readonly ReturnType<typeof inLog>[]) => (await documents(datasets as never, events))['d1'];

  it('shows the newest version', async () => {
    expect(await one([initialized(1, 'p1'), initialized(2)])).toMatchObject({
      name: 'tickets',
      versionCount: 2,
      shownId: 'v2',
      shownType: 'decoder',
      shownProjectId: null,
      newestId: 'v2',
      newestCreatedAt: at(2),
    });
  });

  it('shows the newest that has not failed, beside the newest', async () => {
    expect(await one([initialized(1, 'p1'), initialized(2), failed('v2')])).toMatchObject({
      versionCount: 2,
      shown: true,
      shownId: 'v1',
      shownType: 'ner',
      shownProjectId: 'p1',
      newestId: 'v2',
      newestType: 'decoder',
    });
    expect(await one([initialized(1), failed('v1')])).toMatchObject({ shown: false, shownId: null, newestId: 'v1' });
  });

  it('hides a dataset without versions, and shows it again with the next or restored one', async () => {
    expect(await one([initialized(1), deleted('v1')])).toMatchObject({
      present: false,
      shown: false,
      versionCount: 0,
      newestId: null,
      shownId: null,
    });
    expect(await one([initialized(1), deleted('v1'), initialized(2)])).toMatchObject({
      present: true,
      versionCount: 1,
      shownId: 'v2',
    });
    expect(await one([initialized(1), initialized(2), deleted('v2'), deleted('v1'), restored('v1')])).toMatchObject({
      present: true,
      versionCount: 1,
      shownId: 'v1',
      newestId: 'v1',
    });
  });
});
