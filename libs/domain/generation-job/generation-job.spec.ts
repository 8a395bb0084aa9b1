import { given } from '#test/support/given.js';
import { generationJobDecider, type GenerationJobCommand, type GenerationJobEvent } from './index.js';

const jobId = 'g1';
const now = given.now;
const request = {
  jobId,
  workspaceId: 'w1',
  requestedBy: { kind: 'key', userId: 'u1', teamId: 't1', keyId: 'k1' },
  generator: 'built-in',
  rows: {
    taskType: 'ner',
    count: 10,
    labels: ['city'],
    domainDescription: null,
    prompt: null,
    instruction: null,
    fields: [],
    inputFields: [],
    outputFields: [],
    classifiedExamples: [],
    seed: 7,
  },
  datasetName: 'trips',
  projectId: null,
} as const;
const requested: GenerationJobEvent = { type: 'generation-job-requested.v1', data: { ...request, requestedAt: now } };
const unsaved: GenerationJobEvent = {
  type: 'generation-job-requested.v1',
  data: { ...request, datasetName: null, requestedAt: now },
};
const started = (attempt = 1, worker = 'a'): GenerationJobEvent => ({
  type: 'generation-job-attempt-started.v1',
  data: { jobId, attempt, worker, startedAt: now },
});
const interrupted: GenerationJobEvent = {
  type: 'generation-job-attempt-interrupted.v1',
  data: { jobId, attempt: 1, interruptedAt: now },
};
const rows = {
  object: { key: 'k', size: 1, sha256: 'aa' },
  count: 10,
  drawn: 11,
  distinctShare: 0.9,
  warnings: [],
} as const;
const made: GenerationJobEvent = {
  type: 'generation-job-rows-made.v1',
  data: { jobId, attempt: 1, ...rows, madeAt: now },
};
const assigned: GenerationJobEvent = {
  type: 'generation-job-version-assigned.v1',
  data: { jobId, versionId: 'v1', versionNumber: 3, assignedAt: now },
};
const completed: GenerationJobEvent = { type: 'generation-job-completed.v1', data: { jobId, completedAt: now } };
const failed: GenerationJobEvent = {
  type: 'generation-job-failed.v1',
  data: { jobId, reason: 'no model', failedAt: now },
};
const start = (attempt = 1, worker = 'a'): GenerationJobCommand => ({
  type: 'start-generation-attempt',
  jobId,
  attempt,
  worker,
});
const record: GenerationJobCommand = { type: 'record-generated-rows', jobId, attempt: 1, ...rows };
const assign: GenerationJobCommand = {
  type: 'assign-generated-version',
  jobId,
  versionId: 'v1',
  versionNumber: 3,
};
const complete: GenerationJobCommand = { type: 'complete-generation', jobId };
const job = (...past: GenerationJobEvent[]) => given(generationJobDecider, past);

describe('a generation job', () => {
  it('is requested once', () => {
    job()
      .when({ type: 'request-generation', ...request })
      .then([requested]);
    job().when(start()).thenRefused('not_found');
  });

  it('is attempted by one worker at a time', () => {
    job(requested).when(start()).then([started()]);
    job(requested, started()).when(start()).then([]);
    job(requested, started()).when(start(1, 'b')).thenRefused('conflict');
    job(requested, started())
      .when(start(2, 'b'))
      .then([started(2, 'b')]);
  });

  it('does not count a returned attempt', () => {
    job(requested, started()).when({ type: 'interrupt-generation-attempt', jobId, attempt: 1 }).then([interrupted]);
    job(requested, started(), interrupted)
      .when(start(1, 'b'))
      .then([started(1, 'b')]);
  });

  it('accepts the rows of its current attempt, once', () => {
    job(requested, started()).when(record).then([made]);
    job(requested, started(), started(2, 'b')).when(record).then([]);
    job(requested, started(), interrupted).when(record).then([]);
    job(requested, started(), made).when(start(2, 'b')).then([]);
  });

  it('is complete when its rows have a version, or need none', () => {
    job(requested, started(), made).when(assign).then([assigned]);
    job(requested, started(), made).when(complete).then([]);
    job(requested, started(), made, assigned).when(complete).then([completed]);
    job(unsaved, started(), made).when(complete).then([completed]);
    job(unsaved, started()).when(complete).then([]);
  });

  it('ends once', () => {
    const fail = { type: 'fail-generation', jobId, reason: 'no model' } as const;
    job(requested, started()).when(fail).then([failed]);
    job(requested, started(), failed).when(complete).then([]);
    job(requested, started(), made, assigned, completed).when(fail).then([]);
  });

  it('is erased once, after it has ended, and keeps no text of its request', () => {
    const data = { jobId, workspaceId: 'w1', objectKey: null, keys: [{ id: 'k1', fingerprint: 'f' }] } as const;
    const erase = { type: 'erase-generation', ...data } as const;
    const erased: GenerationJobEvent = { type: 'generation-job-erased.v1', data: { ...data, erasedAt: now } };
    job(requested).when(erase).thenRefused('conflict');
    job(requested, started()).when(erase).thenRefused('conflict');
    job(requested, started(), failed).when(erase).then([erased]);
    job(unsaved, started(), made, completed).when(erase).then([erased]);
    job(requested, started(), failed, erased).when(erase).then([]);
    const asked = { ...request, rows: { ...request.rows, domainDescription: 'tickets of Hildegard' } };
    const past = [{ ...requested, data: { ...asked, requestedAt: now } }, started(), failed, erased];
    const state = (past as readonly GenerationJobEvent[]).reduce(
      (before, event) => generationJobDecider.evolve(before, event),
      generationJobDecider.initial,
    );
    expect(JSON.stringify(state)).not.toContain('Hildegard');
    expect(state).toMatchObject({ status: 'failed', error: 'erased', erasedAt: now });
  });
});
