import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleOf } from '#rows/formats/examples.js';
import type { JsonObject } from '#domain/json.js';
import type { Example } from '#gpu-runner/engines/engine.js';
import { choices } from './choices.js';
import { generatedRelations, generatedStructures } from './generated.js';
import { menus } from './menus.js';
import type { Row } from './row.js';
import { relations, structures } from './templated-heads.js';

/** The key of examples that a data set is about. */
export type Head = 'entities' | 'labels' | 'structures' | 'relations';

export type RowCount = number | 'all';

/** Rows to train on, and the official test rows. */
export interface DataSet {
  readonly name: string;
  readonly title: string;
  readonly head: Head;
  /** In `DATA_DIRECTORY`; none where the project makes the rows. */
  readonly files: readonly string[];
  readonly counts: readonly RowCount[];
  readonly train: () => readonly Example[];
  readonly test: () => readonly Example[];
  /** What the classes mean, for systems that read it. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** The least figure that the project promises of anneal/encoder-base-v1 trained on all rows. */
  readonly least: () => number;
  /** The figure of a rule that learns by looking up. */
  readonly rule?: () => number;
}

export const SETS: readonly DataSet[] = [
  fileSet('snips-slots', 'SNIPS slots', 'entities', 'snips', 0.945),
  fileSet('wnut17', 'WNUT-17', 'entities', 'wnut17', 0.19),
  fileSet('banking77', 'BANKING77', 'labels', 'banking77', 0.895),
  fileSet('snips-intents', 'SNIPS intents', 'labels', 'snips', 0.97),
  describedIntents(),
  madeSet('structures', 'Structures', structures),
  madeSet('relations', 'Relations', relations),
  recordSet('choices', 'Structures with choices', choices),
  recordSet('menus', 'Records that lack fields', menus),
  generatedSet('structures', 'Structures, after generated rows', generatedStructures, structures),
  generatedSet('relations', 'Relations, after generated rows', generatedRelations, relations),
];

function fileSet(name: string, title: string, head: Head, file: string, least: number): DataSet {
  const files = [`${file}.train`, `${file}.test`] as const;
  const [train, test] = files.map((part) => () => read(part).map((row) => labelled(row, head)));
  return { name, title, head, files, counts: [20, 100, 500, 'all'], train: train!, test: test!, least: () => least };
}

/** SNIPS intents by names that say nothing, and what each means. */
function describedIntents(): DataSet {
  const meanings = [
    ['AddToPlaylist', 'add a song, an album or an artist to one of my playlists'],
    ['BookRestaurant', 'book a table at a restaurant, bar or cafe for some people'],
    ['GetWeather', 'asks what the weather is or will be like at a place'],
    ['PlayMusic', 'play a song, an album, an artist or a genre of music'],
    ['RateBook', 'give a book a number of stars or points'],
    ['SearchCreativeWork', 'find a work such as a game, a song, a painting, a TV show or a book by its title'],
    ['SearchScreeningEvent', 'when and where films are shown in cinemas nearby'],
  ] as const;
  const codes = new Map(meanings.map(([name], at) => [name as string, `K${at + 1}`]));
  const coded = ({ text, labels = [] }: Example): Example => ({ text, labels: labels.map((name) => codes.get(name)!) });
  const set = fileSet('snips-intents-described', 'SNIPS intents, by descriptions', 'labels', 'snips', 0);
  return {
    ...set,
    counts: [20, 100, 500],
    train: () => set.train().map(coded),
    test: () => set.test().map(coded),
    descriptions: Object.fromEntries(meanings.map(([, meaning], at) => [`K${at + 1}`, meaning])),
  };
}

/** A set whose models promise to be better than the rule. */
function madeSet(name: Head, title: string, made: typeof structures): DataSet {
  const [train, test] = [made.train, made.test].map((rows) => () => rows().map(parsed));
  const { rule } = made;
  return { name, title, head: name, files: [], counts: ['all'], train: train!, test: test!, least: rule, rule };
}

/** Records of one kind of difficulty, of which models promise nothing. */
function recordSet(name: string, title: string, made: typeof choices): DataSet {
  const [train, test] = [made.train, made.test].map((rows) => () => rows().map(parsed));
  return {
    ...{ name, title, head: 'structures', files: [], counts: [20, 100, 'all'] },
    ...{ train: train!, test: test!, least: () => 0 },
  };
}

/** The test rows of a made set, and training rows of the built-in generator instead of its own. */
function generatedSet(head: Head, title: string, train: () => readonly Row[], made: typeof structures): DataSet {
  const { rule: _, ...set } = madeSet(head, title, made);
  return { ...set, name: `generated-${head}`, train: () => train().map(parsed), least: () => 0 };
}

/** An example of one head. Rows without a list of entities have none. */
function labelled(row: Row, head: Head): Example {
  const { text, labels, entities = [] } = parsed(row);
  return head === 'labels' ? { text, labels: labels ?? [] } : { text, entities };
}

const parsed = (row: Row): Example => exampleOf(row as unknown as JsonObject)!;

/** Folder of the public data sets; they are not part of the project. */
export const DATA_DIRECTORY = join(process.env['ANNEAL_SHARED_DIR'] ?? join('..', 'shared'), 'data');

export const present = (file: string): boolean => existsSync(join(DATA_DIRECTORY, `${file}.jsonl`));

export function read(file: string): Row[] {
  const lines = readFileSync(join(DATA_DIRECTORY, `${file}.jsonl`), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Row);
}

export const onlyLabels = (rows: readonly Row[]): Row[] =>
  rows.flatMap(({ text, label }) => (label === undefined ? [] : [{ text, label }]));

/** Spread over the file, the same rows each time. */
export function sample(rows: readonly Row[], count: number): Row[] {
  const step = rows.length / count;
  return Array.from({ length: Math.min(count, rows.length) }, (_, index) => rows[Math.floor(index * step)]!);
}
