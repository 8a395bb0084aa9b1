import type { Json, JsonObject } from '#domain/json.js';
import type { Layout } from '../layout.js';
import { classColumns, hasSpans, isOwn, isText, textColumns } from '../parts/named-columns.js';

const MAX_NAMED = 8;

/** Among the columns of a file: those of classes are marked where a text has one, and are empty where it has not. */
const MARKED = '\u0000marked';

/**
 * A text with a column for each class, which holds 1 if the text has it and else 0: `comment_text,toxic,obscene`. Beside 0, a column that is
 * empty, or -1 as in the test set of Jigsaw, says that nobody looked whether the text has the class.
 */
export const classColumnsLayout: Layout = {
  name: 'class-columns',
  title: 'texts with a column for each class',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: 'one text under a name such as text or comment_text', holds: (row) => textColumns(row).length === 1 },
    {
      what: 'two or more columns that hold 0 or 1',
      holds: (row) => !isOwn(row) && !hasSpans(row) && !hasNamedClass(row) && flagsIn(row).length > 0,
    },
  ],
  holdsIn: (rows) => classesIn(rows).length > 1,
  columnsIn(rows) {
    const classes = classesIn(rows);
    const isSaid = (value: Json | undefined) => isAnnotated(value) && !isSet(value);
    return rows.some((row) => classes.some((name) => isSaid(row[name]))) ? classes : [...classes, MARKED];
  },
  read(row, context) {
    const [text] = textColumns(row);
    const content = text === undefined ? undefined : row[text];
    const isMarked = context.columns.includes(MARKED);
    const flags = context.columns.filter((name) => name !== MARKED);
    const wrong = flags.find((name) => !isFlag(row[name]) && !isMissing(row[name]));
    if (flags.length < 2)
      context.refuse('', 'is of a file without two columns that hold 0 or 1 in each of its first rows');
    else if (!isText(content)) context.refuse(text ?? 'text', 'is no text');
    else if (wrong !== undefined) context.refuse(wrong, 'must be 0 or 1, as in the first rows');
    else if (!flags.every((name) => isAnnotated(row[name]) || (isMarked && isMissing(row[name]))))
      context.leaveUnlabelled('not annotated, with -1 or nothing in the column of a class');
    else {
      const named = flags.slice(0, MAX_NAMED).map((name) => JSON.stringify(name));
      context.tell(`with classes in ${named.join(' ')}${flags.length > named.length ? ' and more' : ''}`);
      const others = Object.entries(row).filter(([name]) => name !== text && !flags.includes(name));
      return [{ text: content, labels: flags.filter((name) => isSet(row[name])), ...Object.fromEntries(others) }];
    }
    return [];
  },
};

function classesIn(rows: readonly JsonObject[]): readonly string[] {
  const names = [...new Set(rows.flatMap(flagsIn))].filter(
    (name) =>
      rows.every((row) => isFlag(row[name]) || isMissing(row[name])) && rows.some((row) => isAnnotated(row[name])),
  );
  const words = new Set(rows.flatMap((row) => names.flatMap((name) => wordIn(row[name]) ?? [])));
  return WORDS.some((pair) => [...words].every((word) => pair.includes(word))) ? names : [];
}

/** Columns that count or identify rows, or say which part of the data set they are in. */
const ABOUT_ROWS =
  /^(?:|id|idx|index|row|level_0|unnamed.*|.*[_ ]id|(?:is|in)?[_ ]?(?:train|training|test|testing|val|valid|validation|dev|eval|holdout)(?:[_ ](?:set|split|data))?|(?:k|cv)?[_ ]?fold[_ ]?\d*|split|subset|partition|usage)$/i;

/** A number as tables write it: pandas makes `1.0` of 1 where a column has gaps. */
const NUMBER = /^(?:-1|0|1)(?:\.0+)?$/;
/** Words for 1 and 0, as people write them in spreadsheets: a file has one pair. */
const WORDS = [
  ...[
    ['true', 'false'],
    ['yes', 'no'],
    ['y', 'n'],
    ['ja', 'nein'],
    ['oui', 'non'],
    ['si', 'no'],
    ['sí', 'no'],
  ],
  ...[['x'], ['✓'], ['✔']],
];
const YES = new Set(WORDS.map(([yes]) => yes));
const ALL_WORDS = new Set(WORDS.flat());

const wordIn = (value: Json | undefined): string | null => {
  const word = typeof value === 'string' || typeof value === 'boolean' ? String(value).trim().toLowerCase() : '';
  return ALL_WORDS.has(word) ? word : null;
};

const isFlag = (value: Json | undefined): boolean =>
  wordIn(value) !== null || (typeof value !== 'object' && NUMBER.test(String(value).trim()));

const isMissing = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

const isAnnotated = (value: Json | undefined): boolean => isFlag(value) && Number(value) !== -1;

const isSet = (value: Json | undefined): boolean => Number(value) === 1 || YES.has(wordIn(value) ?? '');

/** Whether a column such as `sentiment` says the class: those of 0 and 1 are then other facts. */
const hasNamedClass = (row: JsonObject): boolean =>
  classColumns(row).some((name) => isText(row[name]) && Number.isNaN(Number(row[name])));

const flagsIn = (row: JsonObject): readonly string[] =>
  Object.keys(row).filter((name) => isFlag(row[name]) && !ABOUT_ROWS.test(name.trim()));
