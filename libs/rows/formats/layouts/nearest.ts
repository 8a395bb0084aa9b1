import type { Json, JsonObject } from '#domain/json.js';
import { kind } from '../rows/kinds.js';
import type { Cure } from './mapping.js';
import { LAYOUTS } from './registry.js';

const MAX_SHOWN_COLUMNS = 8;
const MAX_SHOWN_CHARACTERS = 24;
const MAX_SHOWN_NAME = 40;

/**
 * The hint for a file whose rows have no layout: its first row as it was read, and the layout that lacks least, the least
 * special if there are several.
 * @param cured with which the rows are valid, to be copied
 */
export function nearestLayout(row: JsonObject, cured?: Cure): string {
  // A layout of which the row has all is not that of its file.
  const shares = LAYOUTS.map((layout) => {
    const missing = layout.needs.filter((need) => !need.holds(row));
    return { layout, missing, share: missing.length === 0 ? 0 : 1 - missing.length / layout.needs.length };
  });
  const best = shares.reduce((a, b) => (b.share >= a.share ? b : a));
  const nearest =
    best.share === 0
      ? `no layout is near it; format may name ${LAYOUTS.map(({ name }) => name).join(', ')}`
      : `the nearest layout is ${best.layout.title} (format ${best.layout.name}), which also has ${best.missing
          .map(({ what }) => what)
          .join(', and ')}`;
  const read = `the first row was read as ${shownRow(row)}`;
  if (cured === undefined) return `${read}; ${nearest}`;
  const without = cured.without.slice(0, MAX_SHOWN_COLUMNS).map((name) => JSON.stringify(cut(name, MAX_SHOWN_NAME)));
  const reads = `reads the rows${without.length === 0 ? '' : `, without ${without.join(', ')}`}`;
  const isNamed = Object.keys(cured.labelNames).length > 0;
  const cure = isNamed
    ? `"column_mapping": ${JSON.stringify(cured.columnMapping)} with "label_names": ${JSON.stringify(cured.labelNames)} ${reads}`
    : `"column_mapping": ${JSON.stringify(cured.columnMapping)} ${reads}`;
  return [read, cure, ...(best.share === 0 ? [] : [nearest])].join('; ');
}

/** The first row of a file, by its keys, without secrets. */
export function shownRow(row: JsonObject): string {
  const entries = Object.entries(row);
  const columns = entries
    .slice(0, MAX_SHOWN_COLUMNS)
    .map(([name, value]) => `${JSON.stringify(cut(name, MAX_SHOWN_NAME))}: ${shownValue(name, value ?? null)}`);
  return `{${[...columns, ...(entries.length > MAX_SHOWN_COLUMNS ? ['...'] : [])].join(', ')}}`;
}

function shownValue(name: string, value: Json): string {
  if (typeof value !== 'string')
    return typeof value === 'object' && value !== null ? kind(value) : JSON.stringify(value);
  return SECRET_NAME.test(name) || SECRET.test(value) ? 'a secret' : JSON.stringify(cut(value, MAX_SHOWN_CHARACTERS));
}

const cut = (text: string, characters: number): string =>
  text.length > characters ? `${text.slice(0, characters)}...` : text;

/** Names and prefixes of values that must not appear in an error. */
const SECRET_NAME = /key|token$|secret|passw|credential|authorization/i;
const SECRET = /^(?:sk-|pk-|pio_|fast_sk_|hf_|gh[opsu]_|xox|eyJ|AKIA|Bearer )/;
