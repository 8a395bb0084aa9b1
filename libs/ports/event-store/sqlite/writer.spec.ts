import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LOG_FILE, openForWriting } from './database.js';
import { LogWriter } from './writer.js';
import type { FlatEvents, Write } from './writes.js';

describe('the writer of the log after a database failure', () => {
  let directory: string;
  let faults: Faults;
  let writer: LogWriter;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'anneal-writer-'));
    faults = { commit: 'works', open: 'works', pages: null };
    writer = new LogWriter(() => openWithFaults(directory, faults));
  });
  afterEach(() => {
    writer.close();
    rmSync(directory, { recursive: true });
  });

  const append = (stream: string, expected: number, events: FlatEvents = anEvent()): Write => ({
    kind: 'append',
    stream,
    expected,
    events,
  });
  const rows = () => Number(Object.values(inFile('SELECT count(*) FROM events'))[0]) - 1;
  const inFile = (sql: string) => {
    const database = new DatabaseSync(join(directory, LOG_FILE), { readOnly: true });
    const row = database.prepare(sql).get()!;
    database.close();
    return row;
  };

  it('reports that nothing was stored when a failed commit left nothing, for its whole group', () => {
    faults.commit = 'fails';
    const outcomes = writer.write([append('a-1', -1), append('b-1', -1)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
    expect(rows()).toBe(0);
    expect(writer.write([append('a-1', -1)])).toMatchObject([{ kind: 'stored', revision: 0 }]);
  });

  it('finds the stored events although their commit seemed to fail', () => {
    const before = writer.write([append('a-1', -1), append('gone-1', -1)]);
    faults.commit = 'fails once it is stored';
    const outcomes = writer.write([
      append('a-1', 0, [...anEvent(), ...anEvent()]),
      append('a-1', 7),
      { kind: 'delete', stream: 'gone-1' },
      { kind: 'delete', stream: 'never-1' },
    ]);
    expect(outcomes).toMatchObject([
      { kind: 'stored', revision: 2 },
      { kind: 'wrong-revision', actual: 2 },
      { kind: 'deleted' },
      { kind: 'not-found' },
    ]);
    const position = (outcome: unknown) => (outcome as { position: number }).position;
    expect(position(outcomes[0])).toBeGreaterThan(position(before[1]));
    expect(writer.write([append('a-1', 2), append('gone-1', -1)])).toMatchObject([
      { kind: 'stored', revision: 3 },
      { kind: 'stored', revision: 0 },
    ]);
  });

  it('reports an unknown outcome while it cannot check, and answers the repeat once it can', () => {
    const events = anEvent();
    faults.commit = 'fails once it is stored';
    faults.open = 'fails';
    expect(writer.write([append('a-1', -1, events)])).toMatchObject([{ kind: 'unknown' }]);
    // Still closed: the append was not tried, and that is definite.
    expect(writer.write([append('b-1', -1)])).toMatchObject([{ kind: 'unavailable' }]);
    faults.open = 'works';
    expect(writer.write([append('a-1', -1, events), append('b-1', -1)])).toMatchObject([
      { kind: 'stored', revision: 0 },
      { kind: 'stored', revision: 0 },
    ]);
    expect(rows()).toBe(2);
  });

  it('stays readable when the disk is full, refuses writes, and accepts them again when there is space', () => {
    const pages = Number(Object.values(inFile('PRAGMA page_count'))[0]);
    faults.pages = pages + 10;
    writer.close();
    writer = new LogWriter(() => openWithFaults(directory, faults));
    const large = () => anEvent('x'.repeat(10_000));
    let stored = 0;
    let outcome = writer.write([append('a-1', -1, large())])[0]!;
    while (outcome.kind === 'stored') {
      stored += 1;
      outcome = writer.write([append('a-1', stored - 1, large())])[0]!;
    }
    expect(outcome).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('full') });
    expect(stored).toBeGreaterThan(0);
    expect(rows()).toBe(stored);
    while (writer.write([append('a-1', stored - 1)])[0]!.kind === 'stored') stored += 1;
    faults.lift?.();
    expect(writer.write([{ kind: 'probe' }])).toEqual([{ kind: 'probed' }]);
    expect(rows()).toBe(stored);
    expect(writer.write([append('a-1', stored - 1, large())])).toMatchObject([{ kind: 'stored', revision: stored }]);
  });

  it('reports that nothing was stored when the commit record does not fit on the disk', () => {
    faults.commit = 'finds the disk full';
    expect(writer.write([append('a-1', -1)])).toMatchObject([{ kind: 'unavailable' }]);
    expect(writer.write([append('a-1', -1)])).toMatchObject([{ kind: 'stored', revision: 0 }]);
  });

  it('reports a failed probe when its commit failed', () => {
    faults.commit = 'fails';
    expect(writer.write([{ kind: 'probe' }])).toMatchObject([{ kind: 'unavailable' }]);
    expect(writer.write([{ kind: 'probe' }])).toEqual([{ kind: 'probed' }]);
  });

  it('assigns no position twice over failures, deletions and restarts', () => {
    const given: number[] = [];
    const keep = (writes: readonly Write[]) => {
      for (const outcome of writer.write(writes)) if (outcome.kind === 'stored') given.push(outcome.position);
    };
    keep([append('a-1', -1), append('b-1', -1)]);
    keep([{ kind: 'delete', stream: 'b-1' }]);
    while (writer.clearSome());
    writer.close();
    writer = new LogWriter(() => openWithFaults(directory, faults));
    keep([append('c-1', -1)]);
    faults.commit = 'fails once it is stored';
    keep([append('d-1', -1)]);
    keep([append('e-1', -1)]);
    expect(given).toHaveLength(5);
    expect(given).toEqual([...new Set(given)].toSorted((a, b) => a - b));
  });

  it('keeps the seal whole over commits that fail, also once they are stored, and over deletions in between', () => {
    const keys = [Buffer.alloc(32, 5)];
    const state = () => writer.write([{ kind: 'inspect-seal', keys }]);
    writer.write([{ kind: 'begin-seal', keys }]);
    for (const [at, commit] of (
      ['fails', 'fails once it is stored', 'finds the disk full', 'works'] as const
    ).entries()) {
      faults.commit = commit;
      writer.write([append(`a-${at}`, -1), append(`b-${at}`, -1)]);
      writer.write([append(`c-${at}`, -1)]);
      faults.commit = commit;
      writer.write([{ kind: 'delete', stream: `c-${at}` }]);
      writer.write([append(`d-${at}`, -1), { kind: 'learn', texts: [`text ${at}`] }]);
      expect(state()).toEqual([{ kind: 'inspected', state: { kind: 'whole' } }]);
      while (writer.clearSome());
      expect(state()).toEqual([{ kind: 'inspected', state: { kind: 'whole' } }]);
    }
    writer.close();
    writer = new LogWriter(() => openWithFaults(directory, faults));
    expect(state()).toEqual([{ kind: 'inspected', state: { kind: 'whole' } }]);
  });

  it('removes the events of a deleted stream, even after a restart in between', () => {
    const many = Array.from({ length: 1200 }, () => anEvent('secret')).flat();
    writer.write([append('a-1', -1, many), append('b-1', -1)]);
    writer.write([{ kind: 'delete', stream: 'a-1' }]);
    expect(writer.clearSome()).toBe(true);
    expect(rows()).toBeLessThan(1201);
    writer.close();
    writer = new LogWriter(() => openWithFaults(directory, faults));
    while (writer.clearSome());
    expect(rows()).toBe(1);
    expect(writer.write([append('a-1', -1)])).toMatchObject([{ kind: 'stored', revision: 0 }]);
  });
});

interface Faults {
  /** Applies to the next commit only. */
  commit: 'works' | 'fails' | 'fails once it is stored' | 'finds the disk full';
  open: 'works' | 'fails';
  /** The file's largest size in pages, until `lift`. */
  pages: number | null;
  lift?: () => void;
}

function openWithFaults(directory: string, faults: Faults): DatabaseSync {
  if (faults.open === 'fails') throw new Error('the disk is gone');
  const database = openForWriting(directory, 'full');
  if (faults.pages !== null) {
    database.exec(`PRAGMA max_page_count = ${faults.pages}`);
    faults.lift = () => database.exec('PRAGMA max_page_count = 4294967294');
  }
  const prepare = database.prepare.bind(database);
  database.prepare = (sql) => (sql === 'COMMIT' ? faultyCommit(prepare(sql), faults) : prepare(sql));
  return database;
}

function faultyCommit(commit: StatementSync, faults: Faults): StatementSync {
  const run = commit.run.bind(commit);
  commit.run = () => {
    const fault = faults.commit;
    faults.commit = 'works';
    if (fault === 'fails') throw new Error('disk I/O error');
    if (fault === 'finds the disk full') throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const changes = run();
    if (fault === 'fails once it is stored') throw new Error('disk I/O error');
    return changes;
  };
  return commit;
}

const anEvent = (text = 'something'): FlatEvents => [randomUUID(), 'happened.v1', JSON.stringify({ text }), '{}'];
