import { exportIdOf, type ExportFormat } from '#domain/model-export/index.js';
import { expectLiveEqualsRebuilt, type EventInLog } from '#test/support/live-equals-rebuilt.js';
import { modelExports } from './projection.js';

const event = (type: string, format: ExportFormat, jobId = 'job.1'): EventInLog => ({
  type: `model-export-${type}.v1`,
  data: { exportId: exportIdOf(jobId, format), jobId, format, workspaceId: 'w1' },
});
const after = async (...events: EventInLog[]) => [...(await expectLiveEqualsRebuilt(modelExports, events)).values()];

describe('the read model of open exports', () => {
  const both = [event('requested', 'merged'), event('requested', 'gguf')];

  it('counts each format from its request until it completes or fails', async () => {
    expect(await after(...both)).toMatchObject([{ workspaceId: 'w1', open: ['merged', 'gguf'], isOpen: true }]);
    expect(await after(...both, event('completed', 'merged'))).toMatchObject([{ open: ['gguf'], isOpen: true }]);
    expect(await after(...both, event('completed', 'merged'), event('failed', 'gguf'))).toMatchObject([
      { open: [], isOpen: false },
    ]);
  });

  it('counts a failed export again when it is requested again', async () => {
    const again = [event('requested', 'gguf'), event('failed', 'gguf'), event('requested', 'gguf')];
    expect(await after(...again)).toMatchObject([{ open: ['gguf'], isOpen: true }]);
  });

  it('forgets the exports of a deleted job', async () => {
    const deleted = { type: 'training-job-deleted.v1', data: { jobId: 'job.1' } };
    expect(await after(...both, deleted, event('failed', 'gguf'))).toEqual([]);
  });
});
