import type { Json } from '#domain/json.js';
import { isPresent, isRecord, kindOf, Reader } from '../validation/reader.js';
import {
  askedOf,
  type Asked,
  type AskedClasses,
  type AskedEntities,
  type AskedField,
  type AskedFields,
  type AskedRelations,
  type CallInHistory,
} from './asked.js';

type Path = readonly (string | number)[];

/** Characters that are read to find spans: a long text with many of them would hold up everybody. */
const MAX_SEARCHED = 24_000_000;
const HIT_FIELDS = ['text', 'start', 'end', 'confidence'];
const CLASS_FIELDS = ['label', 'confidence'];

/**
 * Checks that a corrected output could have been the call's answer: its heads, labels and shapes are those that were asked for,
 * and its spans stand in the text. A head that is left out is not corrected; a label that is left out has no entities.
 * @param field of the body in which it came
 * @param newLabels names that the call did not ask for and that may stand in it all the same; `any` for whatever there is
 * @returns the names in it that the call did not ask for
 * @throws InvalidError naming what does not fit, a new label that is none among them
 */
export function checkCorrectedOutput(
  corrected: Json,
  call: CallInHistory,
  field: string,
  newLabels: readonly string[] | 'any' = [],
): readonly string[] {
  const reader = new Reader();
  const added = new NewLabels(newLabels);
  if (call.task === 'generate') checkGenerated(reader, corrected, call.output, [field]);
  else if (call.task === 'embed') reader.refuse([field], 'must be left out: vectors are not corrected', 'not_allowed');
  else new EncoderCheck(reader, askedOf(call), added).check(corrected, [field]);
  added.refuseUnused(reader, field);
  reader.done();
  return added.found;
}

/** Names that a corrected output may add to those of the call. */
class NewLabels {
  private readonly used = new Set<string>();

  constructor(private readonly names: readonly string[] | 'any') {}

  get found(): readonly string[] {
    return [...this.used];
  }

  /** Whether a name was asked for, or is said to be new. */
  allow(name: string, asked: ReadonlySet<string> | null): boolean {
    const isAsked = asked?.has(name) ?? true;
    // A call whose labels are unknown has asked for none in particular.
    if (this.names === 'any' ? !isAsked : (!isAsked || asked === null) && this.names.includes(name))
      this.used.add(name);
    return isAsked || this.used.has(name);
  }

  refuseUnused(reader: Reader, field: string): void {
    for (const [index, name] of (this.names === 'any' ? [] : this.names).entries())
      if (!this.used.has(name))
        reader.refuse(
          ['new_labels', index],
          `${shown(name)} is no new label in ${field}; name labels of it that the call did not ask for`,
          'not_allowed',
        );
  }
}

/** Fields of an assistant's message that may replace its content, such as a tool call. */
const MESSAGE_FIELDS = ['role', 'content', 'refusal', 'tool_calls', 'function_call'];

/** A text, or the answer as the route records it; for several choices a list of such. */
function checkGenerated(reader: Reader, corrected: Json, output: Json, path: Path): void {
  if (Array.isArray(output) && Array.isArray(corrected)) {
    const choices = output as readonly Json[];
    if (corrected.length !== choices.length)
      reader.refuse(
        path,
        `must be a list of ${choices.length}, one for each choice (got ${corrected.length})`,
        'wrong_type',
      );
    return (corrected as readonly Json[]).forEach((each, index) =>
      checkGenerated(reader, each, choices[index] ?? null, [...path, index]),
    );
  }
  if (corrected === '') reader.refuse(path, 'must be the right answer as a string, not empty', 'out_of_range');
  if (typeof corrected === 'string') return;
  const known =
    isRecord(output) || output === null ? [...Object.keys(output ?? {}), ...MESSAGE_FIELDS] : ['completion'];
  if (!isRecord(corrected) || Object.keys(corrected).length === 0)
    return reader.refuse(
      path,
      `must be a string, or an object as the recorded output, not ${kindOf(corrected)}`,
      'wrong_type',
    );
  for (const key of Object.keys(corrected))
    if (!known.includes(key))
      reader.refuse(
        [...path, key],
        `is no field of such an answer; send a string, or ${[...new Set(known)].join(', ')}`,
        'unknown_field',
      );
  if (known.length === 1) reader.string(corrected['completion'], [...path, 'completion']);
  else checkMessage(reader, corrected, path);
}

/** The fields whose shape is the same on every route; the others are as the route records them. */
function checkMessage(reader: Reader, message: Readonly<Record<string, unknown>>, path: Path): void {
  const { role, content, tool_calls: calls, output } = message;
  if (role !== undefined && role !== 'assistant')
    reader.refuse([...path, 'role'], 'must be assistant: the corrected output is an answer', 'not_allowed');
  if (typeof content !== 'string' && isPresent(content))
    checkObjects(reader, content, 'a string, or a list of objects', [...path, 'content']);
  if (isPresent(calls)) checkObjects(reader, calls, 'a list of objects', [...path, 'tool_calls']);
  if (typeof output !== 'string' && isPresent(output))
    checkObjects(reader, output, 'a list of objects', [...path, 'output']);
}

function checkObjects(reader: Reader, value: unknown, expected: string, path: Path): void {
  if (!Array.isArray(value)) return reader.refuse(path, `must be ${expected}, not ${kindOf(value)}`, 'wrong_type');
  for (const [index, each] of value.entries())
    if (!isRecord(each)) reader.refuse([...path, index], `must be an object, not ${kindOf(each)}`, 'wrong_type');
}

class EncoderCheck {
  private searched = 0;
  /** The last text that turned out to have one UTF-16 unit a code point. */
  private plain: string | null = null;

  constructor(
    private readonly reader: Reader,
    private readonly asked: Asked,
    private readonly added: NewLabels,
  ) {}

  check(corrected: Json, path: Path): void {
    const { isBatch, texts } = this.asked;
    if (!isBatch) return this.result(corrected, texts?.[0] ?? null, path);
    const count = texts?.length ?? 0;
    if (!Array.isArray(corrected) || corrected.length !== count) {
      const got = Array.isArray(corrected) ? `${corrected.length}` : kindOf(corrected);
      return this.reader.refuse(
        path,
        `must be a list of ${count} results, one for each text of the call (got ${got})`,
        'wrong_type',
      );
    }
    (corrected as readonly Json[]).forEach((each, index) => this.result(each, texts![index]!, [...path, index]));
  }

  private result(result: Json, text: string | null, path: Path): void {
    const { entities, classifications, structures, relations } = this.asked;
    const heads = [
      ...(entities ? ['entities'] : []),
      ...classifications.keys(),
      ...(structures?.keys() ?? []),
      ...(relations ? [RELATIONS] : []),
    ];
    if (!isRecord(result) || Object.keys(result).length === 0)
      return this.reader.refuse(
        path,
        `must be an object with ${heads.join(', ')}, as the call asked for`,
        'wrong_type',
      );
    for (const [head, value] of Object.entries(result) as [string, Json][]) {
      const at = [...path, head];
      const classes = classifications.get(head);
      if (head === 'entities' && entities) this.entities(value, entities, text, at);
      else if (classes) this.classes(value, classes, at);
      else if (head === RELATIONS && relations) this.relations(value, relations, text, at);
      else if (structures === null) this.records(value, null, text, at);
      else if (structures.has(head)) this.records(value, structures.get(head) ?? null, text, at);
      else this.reader.refuse(at, `was not asked for; the call asked for ${heads.join(', ')}`, 'not_allowed');
    }
  }

  private entities(given: Json, { labels, scalar }: AskedEntities, text: string | null, path: Path): void {
    // Unformatted results of /gliner-2 are lists of one.
    const value = Array.isArray(given) && given.length === 1 ? (given[0] as Json) : given;
    if (!isRecord(value))
      return this.reader.refuse(
        path,
        `must be an object with a list for each label, not ${kindOf(value)}`,
        'wrong_type',
      );
    for (const [label, hits] of Object.entries(value) as [string, Json][]) {
      const at = [...path, label];
      if (!this.added.allow(label, labels)) this.reader.refuse(at, notAsked(labels!), 'not_allowed');
      else if (Array.isArray(hits))
        (hits as readonly Json[]).forEach((hit, index) => this.hit(hit, text, [...at, index]));
      else if (!scalar.has(label)) this.reader.refuse(at, `must be a list, not ${kindOf(hits)}`, 'wrong_type');
      else if (hits !== null) this.hit(hits, text, at);
    }
  }

  /** The instances of a structure. A field that is left out has no value. */
  private records(value: Json, fields: AskedFields, text: string | null, path: Path): void {
    if (!Array.isArray(value))
      return this.reader.refuse(path, `must be a list of records, not ${kindOf(value)}`, 'wrong_type');
    for (const [index, record] of (value as readonly Json[]).entries()) {
      const at = [...path, index];
      if (!isRecord(record)) {
        this.reader.refuse(at, `must be an object with a value for each field, not ${kindOf(record)}`, 'wrong_type');
        continue;
      }
      for (const [name, found] of Object.entries(record) as [string, Json][]) {
        const field = fields?.get(name);
        if (fields && !field)
          this.reader.refuse([...at, name], notAsked(new Set(fields.keys()), 'field'), 'not_allowed');
        else this.field(found, field ?? null, text, [...at, name]);
      }
    }
  }

  private field(value: Json, field: AskedField | null, text: string | null, path: Path): void {
    const choices = field?.choices ?? null;
    if (Array.isArray(value) && field?.isList !== false)
      return (value as readonly Json[]).forEach((each, index) => this.value(each, choices, text, [...path, index]));
    if (field?.isList) this.reader.refuse(path, `must be a list, not ${kindOf(value)}`, 'wrong_type');
    else if (value !== null) this.value(value, choices, text, path);
  }

  private value(value: Json, choices: AskedField['choices'], text: string | null, path: Path): void {
    if (choices === null) return this.hit(value, text, path);
    const chosen = isRecord(value) ? value['text'] : value;
    if (typeof chosen !== 'string' || !choices.has(chosen))
      this.reader.refuse(path, `must be one of ${namedIn(choices)}`, 'not_allowed');
  }

  private relations(value: Json, { names }: AskedRelations, text: string | null, path: Path): void {
    if (!isRecord(value))
      return this.reader.refuse(
        path,
        `must be an object with a list for each relation, not ${kindOf(value)}`,
        'wrong_type',
      );
    for (const [name, found] of Object.entries(value) as [string, Json][]) {
      const at = [...path, name];
      if (!this.added.allow(name, names)) this.reader.refuse(at, notAsked(names!, 'relation'), 'not_allowed');
      else if (!Array.isArray(found)) this.reader.refuse(at, `must be a list, not ${kindOf(found)}`, 'wrong_type');
      else (found as readonly Json[]).forEach((each, index) => this.relation(each, text, [...at, index]));
    }
  }

  /** `{head, tail}`, or a pair of them. */
  private relation(relation: Json, text: string | null, path: Path): void {
    const pair = Array.isArray(relation) ? (relation as readonly Json[]) : [];
    const ends: Json = pair.length === 2 ? { head: pair[0]!, tail: pair[1]! } : relation;
    if (!isRecord(ends))
      return this.reader.refuse(path, `must be {head, tail} or [head, tail], not ${kindOf(relation)}`, 'wrong_type');
    this.knownFields(ends, ['head', 'tail'], path);
    for (const end of ['head', 'tail']) this.hit(ends[end] ?? null, text, [...path, end]);
  }

  /** A text, or an object with it and optionally its offsets in code points. */
  private hit(hit: Json, text: string | null, path: Path): void {
    if (typeof hit === 'string') return this.occurs(hit, text, path);
    if (!isRecord(hit))
      return this.reader.refuse(path, `must be a string, or {text, start, end}, not ${kindOf(hit)}`, 'wrong_type');
    this.knownFields(hit, HIT_FIELDS, path);
    const found = this.reader.string(hit['text'], [...path, 'text'], 'the text of the entity');
    this.reader.number(hit['confidence'], [...path, 'confidence'], [0, 1]);
    const most = text?.length ?? Number.MAX_SAFE_INTEGER;
    const start = this.reader.integer(hit['start'], [...path, 'start'], [0, most]);
    const end = this.reader.integer(hit['end'], [...path, 'end'], [0, most]);
    if (found === '') return;
    if (start === undefined && end === undefined) return this.occurs(found, text, [...path, 'text']);
    const points = [...found].length;
    this.standsAt(found, start ?? end! - points, end ?? start! + points, text, path);
  }

  private occurs(found: string, text: string | null, path: Path): void {
    if (found === '') return this.reader.refuse(path, 'must be a part of the call’s text, not empty', 'out_of_range');
    if (text === null || !this.maySearch(text, path)) return;
    if (!text.includes(found))
      this.reader.refuse(path, `${shown(found)} does not occur in the call’s text`, 'not_allowed');
  }

  private standsAt(found: string, start: number, end: number, text: string | null, path: Path): void {
    if (text === null) return;
    const at = this.indexIn(text, start, path);
    if (at === null) return;
    const isThere = start >= 0 && end - start === [...found].length && text.startsWith(found, at);
    if (isThere) return;
    const message = `${shown(found)} does not stand from ${start} to ${end} of the call’s text, in code points`;
    this.reader.refuse([...path, 'start'], message, 'not_allowed');
  }

  /** UTF-16 index of a code point; null when the text may not be scanned. */
  private indexIn(text: string, points: number, path: Path): number | null {
    if (this.plain === text) return points;
    if (!this.maySearch(text, path)) return null;
    if (!SURROGATE.test(text)) {
      this.plain = text;
      return points;
    }
    let at = 0;
    for (let point = 0; point < points && at < text.length; point += 1)
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    return at;
  }

  private maySearch({ length }: string, path: Path): boolean {
    this.searched += length;
    if (this.searched <= MAX_SEARCHED) return true;
    this.reader.refuse(
      path,
      'is one of too many entities for so long a text; send the start and end of each',
      'out_of_range',
    );
    return false;
  }

  private classes(value: Json, { labels, isList }: AskedClasses, path: Path): void {
    if (Array.isArray(value) && !isPair(value) && isList !== false)
      return (value as readonly Json[]).forEach((each, index) => this.oneClass(each, labels, [...path, index]));
    if (isList === true && !isPair(value))
      return this.reader.refuse(path, `must be a list of labels, not ${kindOf(value)}`, 'wrong_type');
    this.oneClass(value, labels, path);
  }

  /** A label; `{label, confidence}`; or a pair of these, as unformatted results of /gliner-2 have it. */
  private oneClass(value: Json, labels: ReadonlySet<string> | null, path: Path): void {
    const [label, confidence] = isPair(value)
      ? (value as readonly Json[])
      : isRecord(value)
        ? [value['label'] as Json, value['confidence'] as Json]
        : [value];
    if (isRecord(value)) this.knownFields(value, CLASS_FIELDS, path);
    this.reader.number(confidence, [...path, 'confidence'], [0, 1]);
    const at = isRecord(value) ? [...path, 'label'] : path;
    if (typeof label !== 'string')
      this.reader.refuse(at, `must be a label, or {label, confidence}, not ${kindOf(label)}`, 'wrong_type');
    else if (!this.added.allow(label, labels))
      this.reader.refuse(at, `${shown(label)} ${notAsked(labels!)}`, 'not_allowed');
  }

  private knownFields(value: Readonly<Record<string, unknown>>, known: readonly string[], path: Path): void {
    for (const key of Object.keys(value))
      if (!known.includes(key))
        this.reader.refuse([...path, key], `is unknown here; send ${known.join(', ')}`, 'unknown_field');
  }
}

/** The key of relations in a result. */
const RELATIONS = 'relation_extraction';

const isPair = (value: Json): boolean => Array.isArray(value) && value.length === 2 && typeof value[1] === 'number';
const SURROGATE = /[\ud800-\udbff]/;
const MAX_SHOWN = 20;

const notAsked = (names: ReadonlySet<string>, what = 'label'): string =>
  `is not a ${what} that the call asked for; it asked for ${namedIn(names)}` +
  (what === 'field' ? '' : `; name a ${what} that is new in new_labels`);

function namedIn(names: ReadonlySet<string>): string {
  const named = [...names].slice(0, MAX_SHOWN).map(shown).join(', ');
  return `${named}${names.size > MAX_SHOWN ? ', ...' : ''}`;
}

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
