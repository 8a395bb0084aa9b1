import { TAKEN_STRUCTURE_NAMES } from '#domain/dataset/index.js';
import type { Json } from '#domain/json.js';
import { CHOICE_KEYS } from './field-values.js';
import { isObject, kind, notList, type FieldProblem, type Labels } from './kinds.js';
import { holds } from './search.js';
import { quote } from './spans.js';

/** Heads whose values are copied from the text: structures and relations. */

export interface StructureField {
  readonly structure: string;
  readonly field: string;
  readonly isList: boolean;
  /** Its values that are choices. */
  readonly choices: readonly string[];
}

export interface StructureFields {
  readonly fields: readonly StructureField[];
  readonly problems: readonly FieldProblem[];
}

/** Values of one row, each looked for in its text. */
const MAX_VALUES = 20_000;
/** Characters of the text times values. */
const MAX_SEARCHED_CHARACTERS = 2_000_000_000;

/** `[{<structure>: {<field>: value or list of values}}]`, every value a choice, or verbatim in the text. */
export function structureFields(text: string, value: Json): StructureFields {
  if (!Array.isArray(value)) return { fields: [], problems: notList('json_structures', value) };
  const search = new Verbatim(text, 'json_structures');
  const fields: StructureField[] = [];
  for (const [index, instance] of (value as readonly Json[]).entries()) {
    const at = `json_structures[${index}]`;
    if (!isObject(instance) || Object.keys(instance).length === 0) {
      search.refuse(at, 'must be {<structure>: {<field>: <value>}}');
      continue;
    }
    for (const [structure, values] of Object.entries(instance)) {
      if (structure.trim() === '') search.refuse(at, 'has a structure without a name');
      else if (TAKEN_STRUCTURE_NAMES.includes(structure))
        search.refuse(
          `${at}.${structure}`,
          'has a name that answers have for something else; call the structure otherwise',
        );
      else if (!isObject(values)) search.refuse(`${at}.${structure}`, `must be {<field>: <value>}, is ${kind(values)}`);
      else if (Object.keys(values).length === 0) search.refuse(`${at}.${structure}`, 'has no fields');
      else
        for (const [field, content] of Object.entries(values)) {
          const place = `${at}.${structure}.${field}`;
          const isList = Array.isArray(content);
          if (field.trim() === '') search.refuse(`${at}.${structure}`, 'has a field without a name');
          if (isList)
            (content as readonly Json[]).forEach((entry, position) =>
              search.value(`${place}[${position}]`, entry, true),
            );
          else search.value(place, content, false);
          const values = isList ? (content as readonly Json[]) : [content ?? null];
          const choices = values.flatMap((value) =>
            isObject(value) && typeof value.value === 'string' ? [value.value] : [],
          );
          fields.push({ structure, field, isList, choices });
        }
    }
  }
  return { fields, problems: search.problems };
}

/** `[{<relation>: {head, tail}}]`, both verbatim in the text. */
export function relationLabels(text: string, value: Json): Labels {
  if (!Array.isArray(value)) return { labels: [], problems: notList('relations', value) };
  const search = new Verbatim(text, 'relations');
  const labels: string[] = [];
  for (const [index, instance] of (value as readonly Json[]).entries()) {
    const at = `relations[${index}]`;
    if (!isObject(instance) || Object.keys(instance).length === 0) {
      search.refuse(at, 'must be {<relation>: {head, tail}}');
      continue;
    }
    for (const [relation, ends] of Object.entries(instance)) {
      if (relation.trim() === '') search.refuse(at, 'has a relation without a name');
      else if (!isObject(ends)) search.refuse(`${at}.${relation}`, `must be {head, tail}, is ${kind(ends)}`);
      else for (const end of ['head', 'tail']) search.look(`${at}.${relation}.${end}`, ends[end]);
      labels.push(relation);
    }
  }
  return { labels, problems: search.problems };
}

/** What to do about a value that is not copied. */
const ASK_FOR_CHOICE = '; if it is one of several choices, write {"value": ..., "choices": [...]}';

/** Checks whether values are copied from a text, unless that takes too long. */
class Verbatim {
  readonly problems: FieldProblem[] = [];
  private readonly known = new Map<string, boolean>();
  private looked = 0;

  constructor(
    private readonly text: string,
    private readonly column: string,
  ) {}

  refuse(field: string, reason: string): void {
    this.problems.push({ field, reason });
  }

  /** A value of a field: a stretch of the text, or a choice. */
  value(field: string, value: Json | undefined, isInList: boolean): void {
    if (!isObject(value)) return this.look(field, value, ASK_FOR_CHOICE);
    const { value: choice, choices, text } = value;
    const unknown = Object.keys(value).filter((key) => !CHOICE_KEYS.includes(key));
    for (const key of unknown) this.refuse(`${field}.${key}`, `is unknown in a choice; send ${CHOICE_KEYS.join(', ')}`);
    if (choices !== undefined && !isTexts(choices)) this.refuse(`${field}.choices`, 'must be a list of strings');
    if (typeof choice !== 'string') this.refuse(`${field}.value`, `must be the choice, a string, is ${kind(choice)}`);
    else if (choice.trim() === '') this.refuse(`${field}.value`, 'is empty');
    else if (isTexts(choices) && !choices.includes(choice))
      this.refuse(`${field}.value`, `${quote(choice)} is not among its choices`);
    else if (text !== undefined) this.look(`${field}.text`, text);
    else if (this.maySearch() && !this.occurs(choice) && isInList)
      this.refuse(field, 'must have "text" too, the stretch of the text that says it, since it stands in a list');
  }

  /** @param otherwise what to do about a value that does not occur */
  look(field: string, value: Json | undefined, otherwise = ''): void {
    if (!this.maySearch()) return;
    if (value === undefined || value === null) this.refuse(field, 'has no value; leave it out or fill it in');
    else if (typeof value !== 'string') this.refuse(field, `must be a string copied from text, is ${kind(value)}`);
    else if (value === '') this.refuse(field, 'is empty');
    else if (!this.occurs(value)) this.refuse(field, `${quote(value)} does not occur in text${otherwise}`);
  }

  /** Whether one more value may be looked for. */
  private maySearch(): boolean {
    this.looked += 1;
    if (this.looked === MAX_VALUES + 1) this.refuse(this.column, `has more than ${MAX_VALUES} values`);
    if (this.looked > MAX_VALUES) return false;
    if (this.known.size * this.text.length <= MAX_SEARCHED_CHARACTERS) return true;
    this.looked = MAX_VALUES + 1;
    this.refuse(this.column, 'has too many values for so long a text; split the row');
    return false;
  }

  private occurs(value: string): boolean {
    let known = this.known.get(value);
    if (known === undefined) this.known.set(value, (known = holds(this.text, value)));
    return known;
  }
}

const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && (value as readonly Json[]).every((each) => typeof each === 'string');
