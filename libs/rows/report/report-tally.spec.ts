import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { ReportTally } from './report-tally.js';
import { MAX_EXAMPLES, MAX_LISTED_LABELS, type VersionReport } from './report.js';

function reportOn(
  rows: readonly JsonObject[],
  heldOut?: readonly JsonObject[],
  type: DatasetType = 'ner',
): VersionReport {
  const tally = new ReportTally(type);
  for (const row of heldOut ?? []) tally.addHeldOut(row, type);
  for (const row of rows) tally.add(row);
  return tally.report(heldOut !== undefined);
}

describe('a report on rows', () => {
  it('counts the labels of every head, by rows and by occurrences', () => {
    const { heads } = reportOn([
      {
        text: 'Ada met Bob',
        entities: [
          ['Ada', 'person'],
          ['Bob', 'person'],
        ],
        label: 'meeting',
      },
      { text: 'Rome', entities: [{ text: 'Rome', label: 'city', start: 0 }], label: 'place' },
      { text: 'nothing', entities: [] },
      {
        text: 'to Rome',
        json_structures: [{ trip: { to: ['Rome', 'Rome'] } }],
        relations: [{ met: { head: 'R', tail: 'e' } }],
      },
    ]);
    expect(heads).toEqual([
      {
        head: 'entities',
        rows: 3,
        emptyRows: 1,
        labels: {
          total: 2,
          shown: [
            { label: 'city', rows: 1, count: 1 },
            { label: 'person', rows: 1, count: 2 },
          ],
        },
      },
      {
        head: 'classification',
        rows: 2,
        emptyRows: 0,
        labels: {
          total: 2,
          shown: [
            { label: 'meeting', rows: 1, count: 1 },
            { label: 'place', rows: 1, count: 1 },
          ],
        },
      },
      {
        head: 'structures',
        rows: 1,
        emptyRows: 0,
        labels: { total: 1, shown: [{ label: 'trip.to', rows: 1, count: 2 }] },
      },
      { head: 'relations', rows: 1, emptyRows: 0, labels: { total: 1, shown: [{ label: 'met', rows: 1, count: 1 }] } },
    ]);
  });

  it('names labels that differ only in case, white space or punctuation at the ends', () => {
    const { similarLabels } = reportOn([
      ...['Gig', 'gig ', 'gig', 'gig', 'home'].map((label) => ({ text: `a ${label}`, label })),
      { text: 'Lena', entities: [['Lena', 'singer']], label: 'home' },
      { text: 'Kim', entities: [['Kim', 'Singer']], label: 'home' },
    ]);
    expect(similarLabels).toEqual({
      total: 2,
      shown: [
        { head: 'classification', labels: ['gig', 'Gig', 'gig '] },
        { head: 'entities', labels: ['Singer', 'singer'] },
      ],
    });
  });

  it.each<[boolean, readonly JsonObject[]]>([
    [true, [{ label: 'gig' }, { label: 'gig' }]],
    [true, [{ label: 'gig' }, { entities: [] }]],
    [false, [{ label: 'gig' }, { label: 'home' }]],
    [false, [{ labels: ['gig'] }, { labels: [] }]],
    [false, [{ entities: [] }]],
  ])('says whether there is one class alone: %s for %j', (hasOneClass, rows) => {
    expect(reportOn(rows.map((row, at) => ({ text: `row ${at}`, ...row })))).toMatchObject({ hasOneClass });
  });

  it('names the rows without a label of any head', () => {
    const { unlabelled } = reportOn([
      { text: 'a', entities: [] },
      { text: 'b', entities: [], label: 'x' },
      { text: 'c', labels: [] },
      { text: 'd' },
    ]);
    expect(unlabelled).toEqual({ total: 3, shown: [1, 3, 4] });
  });

  it('distinguishes exact duplicates from those equal after normalisation', () => {
    const texts = ['Where is it?', 'Where is it?', ' where  IS it', 'Ｗhere is it', 'Where was it?', '?!', '!!'];
    const { exactDuplicates, normalisedDuplicates, comparedRows } = reportOn(
      texts.map((text) => ({ text, label: 'x' })),
    );
    expect(exactDuplicates).toEqual({ total: 1, shown: [{ row: 2, sameAs: 1 }] });
    expect(normalisedDuplicates).toEqual({
      total: 2,
      shown: [
        { row: 3, sameAs: 1 },
        { row: 4, sameAs: 1 },
      ],
    });
    expect(comparedRows).toBe(7);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['classification', { label: 'a' }, { label: 'b' }],
    ['classification', { labels: ['a', 'b'] }, { labels: ['a'] }],
    ['entities', { entities: [['Ada', 'person']] }, { entities: [['Ada', 'name']] }],
    ['entities', { entities: [['Ada', 'person']] }, { entities: [] }],
    ['structures', { json_structures: [{ trip: { to: 'Ada' } }] }, { json_structures: [{ trip: { from: 'Ada' } }] }],
    [
      'relations',
      { relations: [{ met: { head: 'Ada', tail: 'Bob' } }] },
      { relations: [{ met: { head: 'Bob', tail: 'Ada' } }] },
    ],
  ])('finds rows with the same text that contradict each other: %s %j', (head, first, second) => {
    const { conflicts } = reportOn([
      { text: 'Ada met Bob', ...first },
      { text: 'ada met Bob.', ...second },
    ]);
    expect(conflicts).toEqual({ total: 1, shown: [{ row: 2, sameAs: 1, head }] });
  });

  it.each<[JsonObject, JsonObject]>([
    [{ labels: ['a', 'b'] }, { labels: ['b', 'a'] }],
    [
      {
        entities: [
          ['Ada', 'person'],
          ['Bob', 'person'],
        ],
      },
      { entities: [{ text: 'Bob', label: 'person', start: 8 }, ['Ada', 'person']] },
    ],
    [{ entities: [['Ada', 'person']] }, { label: 'a' }],
    [
      { json_structures: [{ met: { who: ['Ada', 'Bob'], at: 'met' } }] },
      { json_structures: [{ met: { at: 'met', who: ['Bob', 'Ada'] } }] },
    ],
  ])('finds no conflict between %j and %j', (first, second) => {
    const rows = [first, second].map((labels) => ({ text: 'Ada met Bob', ...labels }));
    expect(reportOn(rows).conflicts.total).toBe(0);
  });

  it('finds texts of a held-out version, exact or normalised', () => {
    const held = ['Hello there', 'hello there!', 'other', 'Same'].map((text) => ({ text, label: 'x' }));
    const rows = ['new', 'HELLO THERE', 'Same', 'Same'].map((text) => ({ text, label: 'x' }));
    expect(reportOn(rows, held).heldOut).toEqual({
      rows: 4,
      comparedRows: 4,
      leakedRows: 3,
      exactLeaks: 2,
      leaks: {
        total: 3,
        shown: [
          { row: 2, heldOutRow: 1, isExact: false },
          { row: 3, heldOutRow: 4, isExact: true },
          { row: 4, heldOutRow: 4, isExact: true },
        ],
      },
    });
    expect(reportOn(rows).heldOut).toBeNull();
    expect(reportOn(rows, []).heldOut).toMatchObject({ rows: 0, leaks: { total: 0 } });
  });

  it('lists the labels with too few rows, the rarest first', () => {
    const of = (label: string, rows: number) =>
      Array.from({ length: rows }, (_, row) => ({ text: `${label} ${row}`, label }));
    const { rareLabels } = reportOn([...of('enough', 10), ...of('nine', 9), ...of('two', 2)]);
    expect(rareLabels).toEqual({
      total: 2,
      shown: [
        { head: 'classification', label: 'two', rows: 2 },
        { head: 'classification', label: 'nine', rows: 9 },
      ],
    });
  });

  it('measures texts in code points and tokens', () => {
    const texts = ['😀 ok', ...Array.from({ length: 97 }, () => 'two words'), 'x'.repeat(100), 'y '.repeat(5000)];
    const { characters, tokens } = reportOn(texts.map((text) => ({ text, label: 'x' })));
    expect(characters).toMatchObject({ rows: 100, min: 4, p50: 9, p90: 9, p99: 100, max: 10_000 });
    expect(tokens).toMatchObject({ rows: 100, min: 1, p50: 2, p99: 2, max: 5000 });
    expect(reportOn([{ a: 1 }], undefined, 'custom')).toMatchObject({
      rowsWithoutText: 1,
      characters: null,
      tokens: null,
    });
  });

  it('names the spans that no model can learn, and the reason', () => {
    const { unalignedSpans } = reportOn([
      {
        text: 'New York City',
        entities: [
          ['New York City', 'city'],
          ['York', 'name'],
        ],
      },
      {
        text: 'Frankfurt a.M.',
        entities: [
          ['furt', 'part'],
          ['Frank', 'name'],
        ],
      },
      {
        text: 'a  b',
        entities: [
          ['  ', 'gap'],
          ['c', 'none'],
        ],
      },
      {
        text: 'fine here',
        entities: [
          ['fine ', 'ok'],
          ['here', 'ok'],
        ],
      },
    ]);
    expect(unalignedSpans).toEqual({
      total: 5,
      faults: { not_found: 1, blank: 1, overlapping: 1, within_token: 2 },
      shown: [
        { row: 1, label: 'name', text: 'York', fault: 'overlapping' },
        { row: 2, label: 'name', text: 'Frank', fault: 'within_token' },
        { row: 2, label: 'part', text: 'furt', fault: 'within_token' },
        { row: 3, label: 'none', text: 'c', fault: 'not_found' },
        { row: 3, label: 'gap', text: '  ', fault: 'blank' },
      ],
    });
  });

  it('counts an annotation once that a row lists twice, and names the row', () => {
    const visit = { met: { head: 'Ada', tail: 'Bob' } };
    const [twoTeas, figs] = [{ order: { count: '2', what: 'teas' } }, { order: { what: 'figs' } }];
    const bob = { text: 'Bob', label: 'person', start: 8 };
    const { repeatedAnnotations, heads, unalignedSpans } = reportOn([
      { text: 'Ada met Bob.', relations: [visit, visit, { met: { head: 'Bob', tail: 'Ada' } }] },
      { text: '2 teas, figs and 2 teas', json_structures: [twoTeas, figs, twoTeas, twoTeas] },
      {
        text: 'Ada met Bob and Bob',
        entities: [bob, ['Bob', 'person'], { ...bob, end: 11 }, { ...bob, label: 'guest' }],
      },
    ]);
    expect(repeatedAnnotations).toEqual({
      total: 3,
      shown: [
        { row: 1, head: 'relations', label: 'met' },
        { row: 2, head: 'structures', label: 'order' },
        { row: 3, head: 'entities', label: 'person' },
      ],
    });
    const counted = (head: string) => heads.find((each) => each.head === head)?.labels.shown;
    expect(counted('relations')).toEqual([{ label: 'met', rows: 1, count: 2 }]);
    expect(counted('entities')).toEqual([
      { label: 'guest', rows: 1, count: 1 },
      { label: 'person', rows: 1, count: 2 },
    ]);
    expect(unalignedSpans.shown).toEqual([{ row: 3, label: 'guest', text: 'Bob', fault: 'overlapping' }]);
  });

  it('finds no conflict if one of two rows lists an entity twice', () => {
    const bob = { text: 'Bob', label: 'person', start: 0 };
    expect(reportOn([[bob], [bob, bob]].map((entities) => ({ text: 'Bob', entities }))).conflicts.total).toBe(0);
  });

  it('compares chats by the messages before the reply', () => {
    const chat = (question: string, reply: string) => ({
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: reply },
      ],
    });
    const rows = [chat('How?', 'So.'), chat('How?', 'Otherwise.'), chat('Why?', 'So.')];
    expect(reportOn(rows, undefined, 'decoder')).toMatchObject({
      heads: [{ head: 'messages', rows: 3, emptyRows: 0, labels: { total: 0 } }],
      unlabelled: { total: 0 },
      exactDuplicates: { total: 1, shown: [{ row: 2, sameAs: 1 }] },
      conflicts: { total: 1, shown: [{ row: 2, sameAs: 1, head: 'messages' }] },
    });
  });

  it('compares pairs of answers in either order, and finds a contradiction if the other one is chosen', () => {
    const pair = (question: string, chosen: string, rejected: string) => ({
      prompt: [{ role: 'user', content: question }],
      ...{ chosen, rejected },
    });
    const rows = [
      pair('How?', 'So.', 'No.'),
      pair('How?', 'No.', 'So.'),
      pair('How?', 'So.', 'Maybe.'),
      pair('How?', 'So.', 'No.'),
    ];
    expect(reportOn(rows, [pair('How?', 'Maybe.', 'So.')], 'decoder')).toMatchObject({
      heads: [{ head: 'preferences', rows: 4, emptyRows: 0, labels: { total: 0 } }],
      ...{ unlabelled: { total: 0 }, exactDuplicates: { total: 2 } },
      conflicts: { total: 1, shown: [{ row: 2, sameAs: 1, head: 'preferences' }] },
      heldOut: { leaks: { total: 1, shown: [{ row: 3, heldOutRow: 1 }] } },
    });
  });

  it('counts everything and lists only a limited part', () => {
    const rows = Array.from({ length: 3000 }, (_, row) => ({ text: 'same', label: `l${row % 1500}` }));
    const { heads, exactDuplicates, conflicts, rareLabels } = reportOn(rows);
    expect([exactDuplicates.total, exactDuplicates.shown.length]).toEqual([2999, MAX_EXAMPLES]);
    expect([conflicts.total, conflicts.shown.length]).toEqual([2998, MAX_EXAMPLES]);
    expect([rareLabels.total, rareLabels.shown.length]).toEqual([1500, MAX_EXAMPLES]);
    expect([heads[0]!.labels.total, heads[0]!.labels.shown.length]).toEqual([1500, MAX_LISTED_LABELS]);
  });
});
