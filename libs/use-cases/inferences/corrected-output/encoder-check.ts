import type { Json } from '#domain/json.js';
import { kindOf, shown, type Path, type Reader } from '#primitives/reader.js';
import { isRecord } from '#primitives/values.js';
import {
  ownField,
  type AskedClasses,
  type AskedEntities,
  type AskedField,
  type AskedFields,
  type AskedOfEncoder,
  type AskedRelations,
} from './asked.js';
import type { NewLabels } from './new-labels.js';
import { SpansInText } from './spans-in-text.js';

const HIT_FIELDS = ['text', 'start', 'end', 'confidence'];
const CLASS_FIELDS = ['label', 'confidence'];

/** Checks the corrected output of an encoder against its call's request. */
export class EncoderCheck {
  private readonly spans: SpansInText;

  constructor(
    private readonly reader: Reader,
    private readonly asked: AskedOfEncoder,
    private readonly added: NewLabels,
  ) {
    this.spans = new SpansInText(reader);
  }

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
      else if (structures === null || structures.has(head))
        this.records(head, value, structures?.get(head) ?? null, text, at);
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
  private records(structure: string, value: Json, fields: AskedFields, text: string | null, path: Path): void {
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
        else this.field(found, field, text, [...at, name], this.asked.ownChoices.has(ownField(structure, name)));
      }
    }
  }

  private field(
    value: Json,
    field: AskedField | undefined,
    text: string | null,
    path: Path,
    isOwnChoice: boolean,
  ): void {
    const choices = field?.choices ?? (isOwnChoice ? 'any' : null);
    if (Array.isArray(value) && field?.isList !== false)
      return (value as readonly Json[]).forEach((each, index) => this.value(each, choices, text, [...path, index]));
    if (field?.isList) this.reader.refuse(path, `must be a list, not ${kindOf(value)}`, 'wrong_type');
    else if (value !== null) this.value(value, choices, text, path);
  }

  private value(value: Json, choices: AskedField['choices'], text: string | null, path: Path): void {
    if (choices === null) return this.hit(value, text, path);
    const chosen = isRecord(value) ? value['text'] : value;
    if (isRecord(value)) this.knownFields(value, HIT_FIELDS, path);
    if (choices === 'any') this.reader.string(chosen, path, 'the choice');
    else if (typeof chosen !== 'string' || !choices.has(chosen))
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
    if (typeof hit === 'string') return this.spans.occurs(hit, text, path);
    if (!isRecord(hit))
      return this.reader.refuse(path, `must be a string, or {text, start, end}, not ${kindOf(hit)}`, 'wrong_type');
    this.knownFields(hit, HIT_FIELDS, path);
    const found = this.reader.string(hit['text'], [...path, 'text'], 'the text of the entity');
    this.reader.number(hit['confidence'], [...path, 'confidence'], [0, 1]);
    const most = text?.length ?? Number.MAX_SAFE_INTEGER;
    const start = this.reader.integer(hit['start'], [...path, 'start'], [0, most]);
    const end = this.reader.integer(hit['end'], [...path, 'end'], [0, most]);
    if (found === '') return;
    if (start === undefined && end === undefined) return this.spans.occurs(found, text, [...path, 'text']);
    const points = [...found].length;
    this.spans.standsAt(found, start ?? end! - points, end ?? start! + points, text, path);
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
const MAX_SHOWN = 20;

const notAsked = (names: ReadonlySet<string>, what = 'label'): string =>
  `is not a ${what} that the call asked for; it asked for ${namedIn(names)}` +
  (what === 'field' ? '' : `; name a ${what} that is new in new_labels`);

function namedIn(names: ReadonlySet<string>): string {
  const named = [...names].slice(0, MAX_SHOWN).map(shown).join(', ');
  return `${named}${names.size > MAX_SHOWN ? ', ...' : ''}`;
}
