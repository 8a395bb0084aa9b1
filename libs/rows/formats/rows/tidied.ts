import { CodePoints } from '#domain/code-points.js';
import type { Json, JsonObject } from '#domain/json.js';
import { HEAD_LISTS } from './columns.js';
import { isObject } from './kinds.js';
import { areAlike } from './alike.js';

/**
 * A native row without what says nothing: nulls in its lists, spans that are empty, a label that is empty. A span whose text differs from its
 * place only in white space has the text that stands there.
 * @param isNoLabel whether a text is how the file writes that there is no label
 * @param tell counts what was left out
 * @returns the row itself if nothing changes
 */
export function tidied(
  row: JsonObject,
  isNoLabel: (label: string) => boolean,
  tell: (what: string, count: number) => void,
): JsonObject {
  let changed: Record<string, Json | undefined> | null = null;
  for (const key of ['label', 'labels'] as const) {
    const label = row[key];
    if (typeof label === 'string' && (isNoLabel(label) || (key === 'label' && label.trim() === '')))
      (changed ??= { ...row })[key] = null;
  }
  if (isObject(row.labels)) {
    const tasks = Object.entries(row.labels);
    const texts = tasks.flatMap(([task, label]) => (typeof label === 'string' ? [[task, label] as const] : []));
    const none = texts.filter(([, label]) => isNoLabel(label));
    const empty = new Set([...none, ...texts.filter(([, label]) => label.trim() === '')].map(([task]) => task));
    if (empty.size > 0)
      (changed ??= { ...row }).labels = Object.fromEntries(tasks.filter(([task]) => !empty.has(task)));
    if (none.length > 0 && empty.size < tasks.length)
      tell('labels of tasks such as NaN or None read as no label', none.length);
  }
  for (const key of HEAD_LISTS) {
    const list = row[key];
    if (!Array.isArray(list)) continue;
    const entries = list as readonly Json[];
    const kept = entries.includes(null) ? entries.filter((entry) => entry !== null) : entries;
    const placed = key === 'entities' && typeof row.text === 'string' ? placedEntities(row.text, kept) : kept;
    if (placed === entries) continue;
    (changed ??= { ...row })[key] = placed;
    if (kept.length < entries.length) tell('null entries of lists left out', entries.length - kept.length);
    if (placed.length < kept.length) tell('empty spans left out', kept.length - placed.length);
  }
  return changed ?? row;
}

function placedEntities(text: string, entries: readonly Json[]): readonly Json[] {
  let points: CodePoints | null = null;
  let changed: Json[] | null = null;
  for (const [index, entry] of entries.entries()) {
    const placed = isObject(entry) ? placedEntity(text, entry, () => (points ??= new CodePoints(text))) : entry;
    if (placed !== entry) changed ??= entries.slice(0, index);
    if (placed !== null) changed?.push(placed);
  }
  return changed ?? entries;
}

/** Null: it is empty. */
function placedEntity(text: string, entry: JsonObject, points: () => CodePoints): JsonObject | null {
  const { start, end } = entry;
  const key = entry.text === undefined ? 'span' : 'text';
  const given = entry[key];
  if (typeof start !== 'number' || typeof end !== 'number' || typeof given !== 'string') return entry;
  if (start === end) return null;
  const [from, to] = [points().utf16Index(start), points().utf16Index(end)];
  if (from === null || to === null || from >= to) return entry;
  const stretch = text.slice(from, to);
  if (given.length < stretch.length && text.startsWith(given, from) && areAlike(stretch, given))
    return { ...entry, end: start + new CodePoints(given).length };
  return stretch !== given && areAlike(stretch, given) ? { ...entry, [key]: stretch } : entry;
}
