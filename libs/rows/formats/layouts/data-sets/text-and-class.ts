import type { Json, JsonObject } from '#domain/json.js';
import { labelValue } from '../../rows/label-cells.js';
import type { Layout } from '../layout.js';
import { classColumns, hasSpans, isListOfTexts, isOwn, isText, textColumns } from '../parts/named-columns.js';

/** A text and its class in columns with other usual names, as in IMDB's `review,sentiment`: the only ones of their kind in the file. */
export const textAndClass: Layout = {
  name: 'text-and-class',
  title: 'texts with a class',
  unit: 'rows',
  offsets: 'code points',
  needs: [
    { what: 'one text under a name such as text, sentence or review', holds: (row) => textOf(row) !== null },
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
    const [texts, classes] = [named(textColumns), named(classColumns)];
    return texts.length === 1 && classes.length === 1 ? [...texts, ...classes] : [];
  },
  read(row, context) {
    const [text, task] = context.columns;
    if (text === undefined || task === undefined) {
      context.refuse(
        '',
        'is of a file in which several columns may be the text or the class; column_mapping says which',
      );
      return [];
    }
    const { [text]: content, [task]: given, ...others } = row;
    const label = given === undefined ? given : labelValue(given);
    if (!isText(content)) context.refuse(text, 'is no text');
    else if (typeof label === 'number')
      context.refuse(task, `has the number ${label} of a class; label_names says which names numbers stand for`);
    else if (isListOfTexts(label)) {
      context.tell(`with a list of classes under ${JSON.stringify(task)}, each a class of its own`);
      const classes = context.classes(task, label);
      if (Object.keys(classes).length > 0) return [{ text: content, ...classes, ...others }];
      context.leaveUnlabelled();
    } else if (label !== undefined && label !== null && !isText(label)) context.refuse(task, 'is no name of a class');
    else {
      context.tell(`with the text under ${JSON.stringify(text)} and the class under ${JSON.stringify(task)}`);
      if (isText(label)) return [{ text: content, ...context.classes(task, [label]), ...others }];
      context.leaveUnlabelled('without a class');
    }
    return [];
  },
};

/** An empty list may be of spans. */
const isListOfClasses = (value: Json | undefined): boolean => isListOfTexts(value) && value.length > 0;

const textOf = (row: JsonObject): string | null => {
  const columns = textColumns(row);
  return columns.length === 1 && isText(row[columns[0]!]) ? columns[0]! : null;
};
