import type { Task } from './savings.js';

type Head = NonNullable<Task['heads']>[number];

/** What a place of the answers is, in words. */
export const KINDS: Readonly<Record<Head['kind'], string>> = {
  class: 'one of these labels',
  classes: 'some of these labels',
  span: 'words of the text',
  spans: 'words of the text, several',
  entities: 'words of the text, each with one of these labels',
  records: 'a list of records',
  constant: 'always the same',
  null: 'null, since it is not learned',
  omitted: 'left out of the answer',
};
