import { isSourcedList, NumberText, type SourcedJson } from './json-text.js';

/** How a model writes JSON. */
export interface JsonStyle {
  /** Of one line: what stands behind a comma and a colon. */
  readonly space: string;
  /** The step of an indent; null for one line. */
  readonly indent: string | null;
  /** Whether letters beyond ASCII are escapes. */
  readonly isAscii: boolean;
  /** Whether a slash is escaped. */
  readonly escapesSlash: boolean;
}

/** As `JSON.stringify` writes it. */
export const ONE_LINE: JsonStyle = { space: '', indent: null, isAscii: false, escapesSlash: false };

const LAYOUTS = [
  { space: '', indent: null },
  { space: ' ', indent: null },
  { space: ' ', indent: '  ' },
  { space: ' ', indent: '    ' },
  { space: ' ', indent: '\t' },
];
const STYLES: readonly JsonStyle[] = LAYOUTS.flatMap((layout) =>
  [false, true].flatMap((isAscii) => [false, true].map((escapesSlash) => ({ ...layout, isAscii, escapesSlash }))),
);

/** The styles in which a value is written like that; none if the text has another form. */
export const stylesOf = (value: SourcedJson, source: string): readonly JsonStyle[] =>
  STYLES.filter((style) => writeJson(value, style) === source);

/** The style that most of some answers are written in; null if it is none of those known. */
export function commonStyle(
  written: readonly { readonly value: SourcedJson; readonly source: string }[],
): JsonStyle | null {
  const counts = new Map<JsonStyle, number>();
  for (const { value, source } of written)
    for (const style of stylesOf(value, source)) counts.set(style, (counts.get(style) ?? 0) + 1);
  const best = STYLES.reduce((one, other) => ((counts.get(other) ?? 0) > (counts.get(one) ?? 0) ? other : one));
  return counts.has(best) ? best : null;
}

/** JSON in a style, with the keys in their order. */
export function writeJson(value: SourcedJson, style: JsonStyle, depth = 0): string {
  if (value instanceof NumberText) return value.source;
  if (typeof value === 'string') return writeText(value, style);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const items = isSourcedList(value)
    ? value.map((item) => writeJson(item, style, depth + 1))
    : Object.entries(value).map(
        ([key, item]) => `${writeText(key, style)}:${style.space}${writeJson(item, style, depth + 1)}`,
      );
  const [open, close] = isSourcedList(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  if (style.indent === null) return `${open}${items.join(`,${style.space}`)}${close}`;
  const [outer, inner] = [`\n${style.indent.repeat(depth)}`, `\n${style.indent.repeat(depth + 1)}`];
  return `${open}${inner}${items.join(`,${inner}`)}${outer}${close}`;
}

function writeText(text: string, { isAscii, escapesSlash }: JsonStyle): string {
  const written = JSON.stringify(text);
  const slashed = escapesSlash ? written.replaceAll('/', '\\/') : written;
  if (!isAscii) return slashed;
  return slashed.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
