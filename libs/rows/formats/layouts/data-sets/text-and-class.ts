import type { Json, JsonObject } from '#domain/json.js';
import { labelValue } from '../../rows/label-cells.js';
import type { Layout } from '../layout.js';
import {
  classColumns,
  hasSpans,
  isListOfTexts,
  isOwn,
  isText,
  pairColumns,
  textColumns,
} from '../parts/named-columns.js';

/** A text and its class in columns with other usual names, as in IMDB's `review,sentiment`: the only ones of their kind in the file. */
export const textAndClass: Layout = {
  name: 'text-and-class',
  title: 'texts with a class',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    {
      what: 'one text under a name such as text, sentence or review',
      holds: (row) => textsOf(row).length > 0 && textsOf(row).every((column) => isText(row[column])),
    },
    {
      what: 'one class under a name such as category, intent or sentiment',
      holds: (row) =>
        classColumns(row).length === 1 &&
        (!isOwn(row) || ((row.labels ?? null) === null && isListOfClasses(row.label))) &&
        !hasSpans(row),
    },
  ],
  columnsIn(rows) {
    const named = (columns: (row: JsonObject) => readonly string[]) => [...new Set(rows.flatMap(columns))];
    const [single, classes] = [named(textColumns), named(classColumns)];
    const texts = single.length === 0 ? named(pairColumns) : single;
    const areClear = texts.length === (single.length === 0 ? 2 : 1);
    return areClear && classes.length === 1 ? [...texts, ...classes] : [];
  },
  read(row, context) {
    const texts = context.columns.slice(0, -1);
    const task = context.columns.at(-1);
    if (texts.length === 0 || task === undefined) {
      context.refuse(
        '',
        'is of a file in which several columns may be the text or the class; column_mapping says which',
      );
      return [];
    }
    const others = Object.fromEntries(Object.entries(row).filter(([key]) => !context.columns.includes(key)));
    const given = row[task];
    const other = texts.find((column) => !isText(row[column]));
    const text = texts.map((column) => row[column] as string).join('\n');
    const label = given === undefined ? given : labelValue(given);
    if (other !== undefined) context.refuse(other, 'is no text');
    else if (typeof label === 'number')
      context.refuse(task, `has the number ${label} of a class; label_names says which names numbers stand for`);
    else if (isListOfTexts(label)) {
      context.tell(`with a list of classes under ${JSON.stringify(task)}, each a class of its own`);
      const classes = context.classes(task, label);
      if (Object.keys(classes).length > 0) return [{ text, ...classes, ...others }];
      context.leaveUnlabelled();
    } else if (label !== undefined && label !== null && !isText(label)) context.refuse(task, 'is no name of a class');
    else {
      context.tell(`with ${saidOf(texts)} and the class under ${JSON.stringify(task)}`);
      if (isText(label)) return [{ text, ...context.classes(task, [label]), ...others }];
      context.leaveUnlabelled('without a class');
    }
    return [];
  },
};

/** An empty list may be of spans. */
const isListOfClasses = (value: Json | undefined): boolean => isListOfTexts(value) && value.length > 0;

/** The only column of a text, or those of a pair; none: empty. */
function textsOf(row: JsonObject): readonly string[] {
  const columns = textColumns(row);
  return columns.length === 0 ? pairColumns(row) : columns.length === 1 ? columns : [];
}

const saidOf = (texts: readonly string[]): string => {
  const named = texts.map((column) => JSON.stringify(column)).join(' ');
  return texts.length === 1 ? `the text under ${named}` : `the texts under ${named} as lines of one`;
};
