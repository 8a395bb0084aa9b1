import { given } from '#test/support/given.js';
import { fold } from '../decider.js';
import {
  datasetDecider,
  MAX_DATASET_EVENTS,
  MAX_VERSIONS,
  newVersionId,
  type DatasetCommand,
  type DatasetEvent,
} from './index.js';

const workspaceId = 'w1';
const id = newVersionId({ now: given.now, newId: (name) => `id-of-${name}` });
const initialize = {
  type: 'initialize-version',
  workspaceId,
  name: 'tickets',
  datasetType: 'ner',
  format: null,
  fileName: 'a.jsonl',
  columnMapping: {},
  projectId: null,
} as const;

const initialized = (versionNumber: number, versionId = `v${versionNumber}`): DatasetEvent => {
  const { type: _, ...fields } = initialize;
  const uploadKey = `uploads/w1/${versionId}`;
  const data = { ...fields, versionId, versionNumber, uploadKey, kind: 'training', generationType: 'upload' } as const;
  return { type: 'dataset-version-initialized.v1', data: { ...data, initializedAt: given.now } };
};
const dataOf = (event: DatasetEvent) =>
  (event as Extract<DatasetEvent, { type: 'dataset-version-initialized.v1' }>).data;
const source = { key: 'source', size: 10, sha256: 'aa' };
const object = { key: 'rows', size: 20, sha256: 'bb' };
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
const now = given.now;
const sealed = (versionId: string): DatasetEvent => ({
  type: 'dataset-version-sealed.v1',
  data: { versionId, source, sealedAt: now },
});
const converting = (versionId: string, attempt = 1): DatasetEvent => ({
  type: 'dataset-version-conversion-started.v1',
  data: { versionId, attempt, worker: 'a', startedAt: now },
});
const validating = (versionId: string, attempt = 1): DatasetEvent => ({
  type: 'dataset-version-validation-started.v1',
  data: { versionId, attempt, startedAt: now },
});
const ready = (versionId: string): DatasetEvent => ({
  type: 'dataset-version-ready.v1',
  data: { versionId, contents, object, readyAt: now },
});
const failed = (versionId: string): DatasetEvent => ({
  type: 'dataset-version-failed.v1',
  data: { versionId, reason: 'no rows', rowErrors: null, failedAt: now },
});
const deleted = (versionId: string): DatasetEvent => ({
  type: 'dataset-version-deleted.v1',
  data: { versionId, deletedAt: now },
});
const complete = (number: number): DatasetEvent[] => {
  const version = `v${number}`;
  return [initialized(number), sealed(version), converting(version), validating(version), ready(version)];
};
const claim = (requested: number | 'latest', claimantId = 'j1') =>
  ({ type: 'claim-version', workspaceId, name: 'tickets', requested, claimantKind: 'job', claimantId }) as const;
const claimed = (versionId: string, requested: number | 'latest', claimantId = 'j1'): DatasetEvent => ({
  type: 'dataset-version-claimed.v1',
  data: { versionId, claimantKind: 'job', claimantId, requested, claimedAt: now },
});
const of = (versionId: string, attempt = 1) => ({ workspaceId, versionId, attempt });

describe('a dataset', () => {
  it('starts with version 1, under an id that sorts by time', () => {
    given(datasetDecider, [])
      .when(initialize)
      .then([initialized(1, id)]);
    expect(id.slice(0, 15)).toBe(
      `${Date.parse(now)
        .toString(16)
        .padStart(12, '0')
        .replace(/(.{8})/, '$1-')}-7`,
    );
  });

  it('records what becomes of rows that are not valid, and which were left out', () => {
    const { data } = initialized(1, id) as Extract<DatasetEvent, { type: 'dataset-version-initialized.v1' }>;
    given(datasetDecider, [])
      .when({ ...initialize, onError: 'skip' })
      .then([{ type: 'dataset-version-initialized.v1', data: { ...data, onError: 'skip' } }]);
    const apart = { rows: 1, unlabelled: 0, of: 3, listed: 1, list: { key: 'left-out', size: 9, sha256: 'cc' } };
    const reasons = [{ reason: 'text is empty', rows: 1, firstRow: 2 }];
    const leftOut = { ...apart, reasons };
    const past = [initialized(1), sealed('v1'), converting('v1'), validating('v1')];
    const done = {
      type: 'dataset-version-ready.v1' as const,
      data: { versionId: 'v1', contents, object, leftOut: apart, leftOutReasons: reasons, readyAt: now },
    } satisfies DatasetEvent;
    given(datasetDecider, past)
      .when({ type: 'complete-version', ...of('v1'), contents, object, leftOut })
      .then([done]);
    const { leftOutReasons: _, ...rest } = done.data;
    const older: DatasetEvent = { ...done, data: { ...rest, leftOut } };
    for (const each of [done, older])
      expect(fold(datasetDecider, [...past, each]).versions[0]).toMatchObject({ status: 'ready', leftOut });
    expect(fold(datasetDecider, [...past, done, deleted('v1')]).versions[0]).toMatchObject({ before: { leftOut } });
  });

  it('assigns increasing numbers and never reuses one, even after a deletion', () => {
    given(datasetDecider, [initialized(1), initialized(2), deleted('v2')])
      .when(initialize)
      .then([initialized(3, id)]);
  });

  it.each(['', 'a/b', 'ä', 'x'.repeat(129), 'a\nb'])('refuses the name %j', (name) => {
    given(datasetDecider, [])
      .when({ ...initialize, name })
      .thenRefused('invalid');
  });

  it('takes a version through its states', () => {
    const steps: [DatasetEvent[], DatasetCommand, DatasetEvent][] = [
      [[], { type: 'seal-version', workspaceId, versionId: 'v1', source }, sealed('v1')],
      [[sealed('v1')], { type: 'start-conversion', ...of('v1'), worker: 'a' }, converting('v1')],
      [[sealed('v1'), converting('v1')], { type: 'start-validation', ...of('v1') }, validating('v1')],
      [
        [sealed('v1'), converting('v1'), validating('v1')],
        { type: 'complete-version', ...of('v1'), contents, object },
        ready('v1'),
      ],
    ];
    for (const [past, command, event] of steps)
      given(datasetDecider, [initialized(1), ...past])
        .when(command)
        .then([event]);
  });

  it('reads the file of a version as is said once it is there', () => {
    const reading = { datasetType: 'classification', format: 'csv', columnMapping: { text: 'message' } } as const;
    const event: DatasetEvent = {
      type: 'dataset-version-sealed.v1',
      data: { versionId: 'v1', source, reading, sealedAt: now },
    };
    given(datasetDecider, [initialized(1)])
      .when({ type: 'seal-version', workspaceId, versionId: 'v1', source, reading })
      .then([event]);
    const { versions } = [initialized(1), event, converting('v1')].reduce(
      (state, each) => datasetDecider.evolve(state, each),
      datasetDecider.initial,
    );
    expect(versions).toMatchObject([{ status: 'converting', ...reading }]);
  });

  it('fails a version while it is converted or validated', () => {
    const fail = { type: 'fail-version', ...of('v1'), reason: 'no rows', rowErrors: null } as const;
    given(datasetDecider, [initialized(1), sealed('v1'), converting('v1')])
      .when(fail)
      .then([failed('v1')]);
    given(datasetDecider, [initialized(1), sealed('v1'), converting('v1'), validating('v1')])
      .when(fail)
      .then([failed('v1')]);
  });

  it('ignores an attempt that a later one has replaced', () => {
    const past = [initialized(1), sealed('v1'), converting('v1'), converting('v1', 2), validating('v1', 2)];
    given(datasetDecider, past)
      .when({ type: 'start-validation', ...of('v1') })
      .then([]);
    given(datasetDecider, past)
      .when({ type: 'complete-version', ...of('v1'), contents, object })
      .then([]);
    given(datasetDecider, past)
      .when({ type: 'fail-version', ...of('v1'), reason: 'x', rowErrors: null })
      .then([]);
  });

  it('assigns an attempt to one worker', () => {
    const past = [initialized(1), sealed('v1'), converting('v1')];
    given(datasetDecider, past)
      .when({ type: 'start-conversion', ...of('v1'), worker: 'a' })
      .then([]);
    given(datasetDecider, past)
      .when({ type: 'start-conversion', ...of('v1'), worker: 'b' })
      .thenRefused('conflict');
    given(datasetDecider, past)
      .when({ type: 'start-conversion', ...of('v1', 2), worker: 'b' })
      .then([
        {
          type: 'dataset-version-conversion-started.v1',
          data: { versionId: 'v1', attempt: 2, worker: 'b', startedAt: now },
        },
      ]);
  });

  it('returns an interrupted attempt', () => {
    const interrupted: DatasetEvent = {
      type: 'dataset-version-processing-interrupted.v1',
      data: { versionId: 'v1', attempt: 1, interruptedAt: now },
    };
    const past = [initialized(1), sealed('v1'), converting('v1')];
    given(datasetDecider, past)
      .when({ type: 'interrupt-processing', ...of('v1') })
      .then([interrupted]);
    given(datasetDecider, [...past, interrupted])
      .when({ type: 'start-conversion', ...of('v1'), worker: 'a' })
      .then([converting('v1')]);
  });

  it('does not find versions of another workspace or deleted ones', () => {
    const seal = { type: 'seal-version', workspaceId, versionId: 'v1', source } as const;
    given(datasetDecider, [initialized(1)])
      .when({ ...seal, workspaceId: 'w2' })
      .thenRefused('not_found');
    given(datasetDecider, [initialized(1), deleted('v1')])
      .when(seal)
      .thenRefused('not_found');
    given(datasetDecider, []).when(seal).thenRefused('not_found');
  });
});

describe('a merged version', () => {
  const object3 = { key: 'merged', size: 40, sha256: 'cc' };
  const { type: _, ...fields } = initialize;
  const sources = [{ name: 'a', versionNumber: 1, versionId: 'x', rows: 2, object }];
  const merge = { ...fields, type: 'merge-versions', sources, contents } as const;
  const begun = (versionId = 'v1'): DatasetEvent[] => [
    { type: 'dataset-version-initialized.v1', data: { ...dataOf(initialized(1, versionId)), generationType: 'merge' } },
    { type: 'dataset-version-merge-requested.v1', data: { versionId, sources, contents, requestedAt: now } },
  ];

  it('starts with everything that it will contain', () => {
    given(datasetDecider, []).when(merge).then(begun(id));
  });

  it('becomes ready with that, or fails, and does not change afterwards', () => {
    const done = {
      type: 'dataset-version-ready.v1' as const,
      data: { versionId: 'v1', contents, object: object3, readyAt: now },
    };
    const complete = { type: 'complete-merge', workspaceId, versionId: 'v1', object: object3 } as const;
    const abandon = { type: 'abandon-version', workspaceId, versionId: 'v1', reason: 'no rows' } as const;
    given(datasetDecider, begun()).when(complete).then([done]);
    given(datasetDecider, begun())
      .when(abandon)
      .then([failed('v1')]);
    given(datasetDecider, [...begun(), done])
      .when(abandon)
      .then([]);
    given(datasetDecider, [...begun(), failed('v1')])
      .when(complete)
      .then([]);
    given(datasetDecider, [...begun(), deleted('v1')])
      .when(complete)
      .thenRefused('not_found');
  });

  it('cannot be sealed like an upload', () => {
    given(datasetDecider, begun()).when({ type: 'seal-version', workspaceId, versionId: 'v1', source }).then([]);
  });
});

describe('an abandoned upload', () => {
  const abandon = { type: 'abandon-version', workspaceId, versionId: 'v1', reason: 'no rows' } as const;

  it('fails, unless it is sealed', () => {
    given(datasetDecider, [initialized(1, 'v1')])
      .when(abandon)
      .then([failed('v1')]);
    given(datasetDecider, [initialized(1, 'v1'), sealed('v1')])
      .when(abandon)
      .then([]);
  });
});

describe('a version pulled from a hub', () => {
  const { type: _, ...fields } = initialize;
  const files = [{ path: 'data/train.jsonl', size: 10 }];
  const from = { repoId: 'a/b', revision: null, commit: 'c', config: 'default', split: 'train', files };
  const request = { ...fields, type: 'import-version', from: { ...from, withToken: true } } as const;
  const begun = (versionId = 'v1'): DatasetEvent[] => [
    { type: 'dataset-version-initialized.v1', data: { ...dataOf(initialized(1, versionId)), generationType: 'hub' } },
    {
      type: 'dataset-version-import-requested.v1',
      data: { versionId, from: { ...from, withToken: true }, requestedAt: now },
    },
  ];

  it('is sealed like an upload once its file has arrived', () => {
    given(datasetDecider, []).when(request).then(begun(id));
    given(datasetDecider, begun())
      .when({ type: 'seal-version', workspaceId, versionId: 'v1', source })
      .then([sealed('v1')]);
  });

  it('fails when its file cannot be fetched, unless it has arrived', () => {
    const abandon = { type: 'abandon-version', workspaceId, versionId: 'v1', reason: 'no rows' } as const;
    given(datasetDecider, begun())
      .when(abandon)
      .then([failed('v1')]);
    given(datasetDecider, [...begun(), sealed('v1')])
      .when(abandon)
      .then([]);
  });

  it('counts as uploading when its rows are requested', () => {
    const state = begun().reduce((s, e) => datasetDecider.evolve(s, e), datasetDecider.initial);
    expect(() => datasetDecider.decide(claim(1), state, { now, newId: () => 'x' })).toThrow('is uploading');
  });
});

it('a push of a version to a hub is recorded once', () => {
  const push = { repoId: 'a/b', commit: 'c', url: 'https://hub/a/b', isNewRepository: true };
  given(datasetDecider, complete(1))
    .when({ type: 'record-push', workspaceId, versionId: 'v1', ...push })
    .then([
      { type: 'dataset-version-pushed.v1', data: { pushId: 'id-of-push', versionId: 'v1', ...push, pushedAt: now } },
    ]);
});

describe('the description of a version', () => {
  const describe = { type: 'describe-version', workspaceId, versionId: 'v1', by: 'key:k1' } as const;
  const described = (said: object): DatasetEvent => ({
    type: 'dataset-version-described.v1',
    data: {
      ...{ versionId: 'v1', purpose: null, source: null, license: null, consent: null },
      ...{ ...said, describedBy: 'key:k1', describedAt: now },
    },
  });

  it('keeps what a change does not name', () => {
    given(datasetDecider, [...complete(1), described({ purpose: 'a', source: 'b' })])
      .when({ ...describe, description: { source: null, license: 'MIT' } })
      .then([described({ purpose: 'a', license: 'MIT' })]);
  });

  it('has guidelines until a change removes them', () => {
    given(datasetDecider, [...complete(1), described({ purpose: 'a' })])
      .when({ ...describe, description: { guidelines: 'Cities only.\nNo countries.' } })
      .then([described({ purpose: 'a', guidelines: 'Cities only.\nNo countries.' })]);
    given(datasetDecider, [...complete(1), described({ purpose: 'a', guidelines: 'Cities only.' })])
      .when({ ...describe, description: { guidelines: null } })
      .then([described({ purpose: 'a' })]);
  });

  it('follows the beginning of a version that is begun with one', () => {
    const decided = datasetDecider.decide(
      { ...initialize, described: { description: { purpose: 'a' }, by: 'key:k1' } },
      datasetDecider.initial,
      { now, newId: (name) => name },
    );
    expect(decided.map(({ type }) => type)).toEqual(['dataset-version-initialized.v1', 'dataset-version-described.v1']);
  });

  it('is refused for a deleted version', () => {
    const deleted: DatasetEvent = { type: 'dataset-version-deleted.v1', data: { versionId: 'v1', deletedAt: now } };
    given(datasetDecider, [...complete(1), deleted])
      .when({ ...describe, description: { purpose: 'a' } })
      .thenRefused('not_found');
  });
});

describe('a deleted version', () => {
  const restore = { type: 'restore-versions', name: 'tickets', requested: 'all' } as const;
  const restored = (versionId: string): DatasetEvent => ({
    type: 'dataset-version-restored.v1',
    data: { versionId, restoredAt: now },
  });

  it('is restored unchanged', () => {
    const past = [...complete(1), ...complete(2), deleted('v1')];
    given(datasetDecider, past)
      .when(restore)
      .then([restored('v1')]);
    given(datasetDecider, [...past, restored('v1')])
      .when(claim(1))
      .then([claimed('v1', 1)]);
    given(datasetDecider, [...past, deleted('v2')])
      .when({ ...restore, requested: 2 })
      .then([restored('v2')]);
  });

  it('is not restored if it was not ready', () => {
    const past = [initialized(1), sealed('v1'), deleted('v1'), ...complete(2), deleted('v2')];
    given(datasetDecider, past)
      .when(restore)
      .then([restored('v2')]);
    given(datasetDecider, past)
      .when({ ...restore, requested: 1 })
      .thenRefused('conflict');
  });

  it('is not found to restore if it never existed', () => {
    given(datasetDecider, []).when(restore).thenRefused('not_found');
    given(datasetDecider, complete(1))
      .when({ ...restore, requested: 2 })
      .thenRefused('not_found');
    given(datasetDecider, complete(1)).when(restore).then([]);
  });

  it('is deleted again like any other', () => {
    given(datasetDecider, [...complete(1), deleted('v1'), restored('v1')])
      .when({ type: 'delete-version', workspaceId, versionId: 'v1' })
      .then([deleted('v1')]);
  });
});

describe('claims on dataset versions', () => {
  it('are on the requested version, or on the newest ready one', () => {
    const past = [...complete(1), ...complete(2), initialized(3)];
    given(datasetDecider, past)
      .when(claim(1))
      .then([claimed('v1', 1)]);
    given(datasetDecider, past)
      .when(claim('latest'))
      .then([claimed('v2', 'latest')]);
  });

  it('are kept when repeated, even if newer versions have become ready', () => {
    given(datasetDecider, [...complete(1), claimed('v1', 'latest'), ...complete(2)])
      .when(claim('latest'))
      .then([]);
  });

  it.each([
    ['initialized', [initialized(1)]],
    ['uploading', [initialized(1), sealed('v1')]],
    ['converting', [initialized(1), sealed('v1'), converting('v1')]],
    ['validating', [initialized(1), sealed('v1'), converting('v1'), validating('v1')]],
    ['failed', [initialized(1), sealed('v1'), converting('v1'), failed('v1')]],
  ])('are refused while the version is %s, naming the state', (status, past) => {
    for (const requested of [1, 'latest'] as const) {
      given(datasetDecider, past).when(claim(requested)).thenRefused('conflict');
      const state = past.reduce((s, e) => datasetDecider.evolve(s, e), datasetDecider.initial);
      expect(() => datasetDecider.decide(claim(requested), state, { now, newId: () => 'x' })).toThrow(`is ${status}`);
    }
  });

  it('are refused for missing versions', () => {
    given(datasetDecider, []).when(claim('latest')).thenRefused('not_found');
    given(datasetDecider, complete(1)).when(claim(2)).thenRefused('not_found');
    given(datasetDecider, [...complete(1), deleted('v1')])
      .when(claim('latest'))
      .thenRefused('not_found');
  });

  it("prevent a version's deletion until they are released", () => {
    const released: DatasetEvent = {
      type: 'dataset-claims-released.v1',
      data: { versionIds: ['v1'], claimantKind: 'job', claimantId: 'j1', releasedAt: now },
    };
    const past = [...complete(1), claimed('v1', 'latest')];
    const remove = { type: 'delete-version', workspaceId, versionId: 'v1' } as const;
    const removeAll = { type: 'delete-dataset', name: 'tickets' } as const;
    given(datasetDecider, past).when(remove).thenRefused('conflict');
    given(datasetDecider, past).when(removeAll).thenRefused('conflict');
    const release = { type: 'release-claims', claimantKind: 'job', claimantId: 'j1' } as const;
    given(datasetDecider, past).when(release).then([released]);
    given(datasetDecider, past)
      .when({ ...release, claimantId: 'j2' })
      .then([]);
    given(datasetDecider, [...past, released])
      .when(remove)
      .then([deleted('v1')]);
    given(datasetDecider, [...past, released, ...complete(2)])
      .when(removeAll)
      .then([deleted('v1'), deleted('v2')]);
  });
});

describe('the history of a dataset', () => {
  const history = (versions: number): DatasetEvent[] =>
    Array.from({ length: versions }, (_, index) => {
      const versionId = `v${index + 1}`;
      const steps = [sealed(versionId), converting(versionId), validating(versionId), ready(versionId)];
      return [initialized(index + 1), ...steps];
    }).flat();
  const released = (versionId: string, claimantId: string): DatasetEvent => ({
    type: 'dataset-claims-released.v1',
    data: { versionIds: [versionId], claimantKind: 'job', claimantId, releasedAt: now },
  });
  const full = [...history(MAX_VERSIONS - 1), initialized(MAX_VERSIONS), deleted('v1')];

  it.each([
    ['an upload', initialize],
    ['a merge', { ...initialize, type: 'merge-versions', sources: [], contents } as const],
  ])('is limited to 1,000 versions, deleted ones included: %s beyond them is refused', (_, command) => {
    given(datasetDecider, full).when(command).thenRefused('conflict');
    given(datasetDecider, full.slice(0, -2))
      .when(initialize)
      .then([initialized(MAX_VERSIONS, id)]);
    expect(() =>
      datasetDecider.decide(command, fold(datasetDecider, full), { now, newId: (name) => `other-${name}` }),
    ).toThrow('dataset "tickets" has had 1000 versions');
  });

  it('accepts no new claim beyond its limit of events, and releases existing ones', () => {
    const claims = Array.from({ length: MAX_DATASET_EVENTS / 2 }, (_, job) => [
      claimed('v1', 1, `j${job}`),
      released('v1', `j${job}`),
    ]).flat();
    const standing = [...history(1), ...claims, claimed('v1', 1, 'last')];
    const claimant = { claimantKind: 'job', claimantId: 'more' } as const;
    given(datasetDecider, standing)
      .when({ type: 'claim-version', workspaceId, name: 'tickets', requested: 1, ...claimant })
      .thenRefused('conflict');
    given(datasetDecider, standing)
      .when({ type: 'release-claims', claimantKind: 'job', claimantId: 'last' })
      .then([released('v1', 'last')]);
  });

  it('is folded at once to the same state as event by event', () => {
    const events = [...full, claimed('v2', 2, 'j1'), claimed('v3', 3, 'j2'), released('v2', 'j1')];
    const single = events.reduce((state, event) => datasetDecider.evolve(state, event), datasetDecider.initial);
    expect(fold(datasetDecider, events)).toEqual(single);
  });

  it('is folded with one copy of its versions', () => {
    const copies = { evolve: 0, folding: 0 };
    const counted: typeof datasetDecider = {
      ...datasetDecider,
      evolve(state, event) {
        copies.evolve += 1;
        return datasetDecider.evolve(state, event);
      },
      folding(state) {
        copies.folding += 1;
        return datasetDecider.folding!(state);
      },
    };
    expect(fold(counted, history(500)).versions).toHaveLength(500);
    expect(copies).toEqual({ evolve: 0, folding: 1 });
  });
});

describe('a deleted version whose bytes are removed', () => {
  const past = [initialized(1), sealed('v1'), converting('v1'), validating('v1'), ready('v1'), deleted('v1')];
  const purge = { type: 'purge-version', workspaceId, versionId: 'v1' } as const;
  const purged: DatasetEvent = { type: 'dataset-version-purged.v1', data: { versionId: 'v1', purgedAt: now } };

  it('is purged once, and only while it is deleted', () => {
    given(datasetDecider, past).when(purge).then([purged]);
    given(datasetDecider, past.slice(0, -1)).when(purge).then([]);
    given(datasetDecider, [initialized(1)])
      .when({ ...purge, versionId: 'other' })
      .then([]);
  });

  it('cannot be restored, but others of its dataset can', () => {
    const restore = { type: 'restore-versions', name: 'tickets', requested: 1 } as const;
    given(datasetDecider, [...past, purged])
      .when(restore)
      .thenRefused('conflict');
    expect(() =>
      datasetDecider.decide(restore, fold(datasetDecider, [...past, purged]), { now, newId: String }),
    ).toThrow('removed for good');
    const other = [initialized(2), sealed('v2'), converting('v2'), validating('v2'), ready('v2'), deleted('v2')];
    given(datasetDecider, [...past, purged, ...other])
      .when({ ...restore, requested: 'all' })
      .then([{ type: 'dataset-version-restored.v1', data: { versionId: 'v2', restoredAt: now } }]);
  });
});

type PurgedData = Extract<DatasetEvent, { type: 'dataset-version-purged.v1' }>['data'];

describe('the erasure of a version', () => {
  const made = [initialized(1), sealed('v1'), converting('v1'), validating('v1'), ready('v1')];
  const erase = { type: 'erase-version', workspaceId, versionId: 'v1' } as const;
  const erased = (more: Partial<PurgedData> = {}): DatasetEvent => ({
    type: 'dataset-version-purged.v1',
    data: { versionId: 'v1', purgedAt: now, ...more, erased: true },
  });

  it('deletes it first if it is not deleted, and is recorded once', () => {
    given(datasetDecider, made)
      .when(erase)
      .then([deleted('v1'), erased()]);
    given(datasetDecider, [...made, deleted('v1')])
      .when(erase)
      .then([erased()]);
    given(datasetDecider, [...made, deleted('v1'), erased()])
      .when(erase)
      .then([]);
  });

  it('records the keys that it destroys', () => {
    const keys = [{ id: 'book/0', fingerprint: '4a53cf7c1f1bbba0' }];
    given(datasetDecider, made)
      .when({ ...erase, keys })
      .then([deleted('v1'), erased({ keys })]);
  });

  it('is refused while it is in use, and for a version that is missing or of another workspace', () => {
    given(datasetDecider, [...made, claimed('v1', 1, 'j1')])
      .when(erase)
      .thenRefused('conflict');
    given(datasetDecider, made)
      .when({ ...erase, versionId: 'v2' })
      .thenRefused('not_found');
    given(datasetDecider, made)
      .when({ ...erase, workspaceId: 'other' })
      .thenRefused('not_found');
  });

  it("names the keys stored for other requests, but no file in the version's own folder", () => {
    const source = (key: string): DatasetEvent => ({
      type: 'dataset-version-sealed.v1',
      data: { versionId: 'v1', source: { key, size: 1, sha256: 'a' }, sealedAt: now },
    });
    for (const [folder, ...names] of [
      [`datasets/${workspaceId}/feedback/f1`, 'rows.jsonl', 'collected.json'],
      [`generation/${workspaceId}/labelled/l1`, 'rows.jsonl', 'answer.json'],
      [`generation/${workspaceId}/j1`, 'rows-2.jsonl'],
    ]) {
      const objects = names.map((name) => `${folder}/${name}`);
      given(datasetDecider, [initialized(1), source(objects[0]!)])
        .when(erase)
        .then([deleted('v1'), erased({ objects })]);
    }
    given(datasetDecider, [initialized(1), source(`datasets/${workspaceId}/v1/source`)])
      .when(erase)
      .then([deleted('v1'), erased()]);
  });
});
