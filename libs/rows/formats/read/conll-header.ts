import { looksLikeTag } from '../layouts/parts/tags.js';
import { TAGS, TOKENS } from './token-table.js';

const TOKEN_NAMES = new Set([...TOKENS, 'form', 'text']);
const TAG_NAMES = new Set([...TAGS, 'pos', 'postag', 'upos', 'xpos', 'chunk', 'entities', 'netag', 'iobtag', 'biotag']);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');

/** Whether a line names the columns, as `Token POS NER` does. */
export const isHeader = (columns: readonly string[]): boolean =>
  !columns.some(looksLikeTag) &&
  columns.some((name) => TOKEN_NAMES.has(plain(name))) &&
  columns.some((name) => TAG_NAMES.has(plain(name)));

/** The column that a header names as that of tokens; -1: none. */
export const tokenOfHeader = (header: readonly string[]): number =>
  header.findIndex((name) => TOKEN_NAMES.has(plain(name)));
