import type { InvalidField } from '#domain/errors.js';
import type { JsonSchema } from './json-schema.js';
import { kindOf, Reader, type Path } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';

type Fields = Readonly<Record<string, unknown>>;

/** Compiles a schema to a test of values. */
export type Compile = (schema: JsonSchema) => (value: unknown) => boolean;

interface Known {
  /** Problems found by hints: they come last and replace others of those values. */
  readonly hinted: readonly InvalidField[];
  readonly compile: Compile;
}

/** Names each faulty field of a body that its schema refused. */
export function findFaults(schema: JsonSchema, body: Fields, reader: Reader, known: Known): void {
  new Faults({ ...known, defs: schema.$defs ?? {} }, reader).find(schema, body, []);
  for (const { path, message, type } of known.hinted) reader.refuse(path.slice(1), message, type);
  if (reader.problems.length === 0)
    reader.refuse([], 'does not match the schema of this request in /openapi.json', 'invalid');
}

interface Context extends Known {
  readonly defs: Readonly<Record<string, JsonSchema>>;
}

/** Longer lists are first tested by compiled code, item by item. */
const LONG = 100;

class Faults {
  constructor(
    private readonly context: Context,
    private readonly reader: Reader,
  ) {}

  find(given: JsonSchema, value: unknown, path: Path): void {
    const schema = this.resolved(given);
    if (this.reader.isFull || this.isHinted(path)) return;
    const { enum: choices, not } = schema as { readonly enum?: readonly unknown[]; readonly not?: JsonSchema };
    if (choices?.includes(value) === false || (not && this.takes(not, value, path)))
      return this.refuseChoice(schema, path);
    if (!isOfType(schema, value)) return this.refuseType(schema, value, path);
    for (const part of schema.allOf ?? []) this.find(part, value, path);
    if (schema.oneOf && isRecord(value)) this.findInChoice(schema, schema.oneOf, value, path);
    if (schema.anyOf) this.findInUnion(schema, schema.anyOf, value, path);
    if (typeof value === 'string') this.findInText(schema, value, path);
    else if (typeof value === 'number') this.findInNumber(schema, value, path);
    else if (Array.isArray(value)) this.findInList(schema, value, path);
    else if (isRecord(value)) this.findInObject(schema, value, path);
  }

  /** Keeps one problem per field. */
  private refuse(path: Path, message: string, type: string): void {
    const last = this.reader.problems.at(-1)?.path;
    const isTold = last?.length === path.length + 1 && path.every((name, index) => name === last[index + 1]);
    if (!isTold && !this.isHinted(path)) this.reader.refuse(path, message, type);
  }

  private isHinted(path: Path): boolean {
    return this.context.hinted.some(({ path: [, ...at] }) => at.every((name, index) => name === path[index]));
  }

  private resolved(schema: JsonSchema): JsonSchema {
    return schema.$ref === undefined ? schema : this.context.defs[schema.$ref.slice('#/$defs/'.length)]!;
  }

  private refuseType(schema: JsonSchema, value: unknown, path: Path): void {
    this.refuse(path, `must be ${this.expected(schema)}, not ${kindOf(value)}`, 'wrong_type');
  }

  private refuseChoice(schema: JsonSchema, path: Path): void {
    this.refuse(path, schema['x-refusal'] ?? `must be ${this.expected(schema)}`, 'not_allowed');
  }

  private findInText({ minLength = 0, maxLength, pattern, ...schema }: JsonSchema, text: string, path: Path): void {
    if (text.length < minLength) this.refuse(path, `must be ${this.expected(schema)}, not empty`, 'out_of_range');
    else if (maxLength !== undefined && text.length > maxLength)
      this.refuse(path, `must be at most ${maxLength} characters long, not ${text.length}`, 'out_of_range');
    else if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) this.refuseChoice(schema, path);
  }

  private findInNumber({ minimum = -Infinity, maximum = Infinity, type }: JsonSchema, value: number, path: Path): void {
    if (value < minimum || value > maximum)
      this.refuse(path, `must be from ${minimum} to ${maximum}, not ${value}`, 'out_of_range');
    else if ([type].flat().includes('integer') && !Number.isInteger(value))
      this.refuse(path, `must be a whole number, not ${value}`, 'wrong_type');
  }

  private findInList(schema: JsonSchema, list: readonly unknown[], path: Path): void {
    const { items, minItems, maxItems } = schema;
    this.findInCount(schema, list.length, [minItems, maxItems], path);
    if (!items) return;
    const most = Math.min(list.length, maxItems ?? Infinity);
    const accepts = most > LONG ? this.context.compile(items) : () => false;
    for (let index = 0; index < most && !this.reader.isFull; index++)
      if (!accepts(list[index])) this.find(items, list[index], [...path, index]);
  }

  private findInCount(
    schema: JsonSchema,
    count: number,
    [least = 0, most = Infinity]: readonly [number | undefined, number | undefined],
    path: Path,
  ): void {
    const verb = schema['x-item'] === undefined ? 'hold' : 'name';
    const item = this.item(schema);
    if (count < least) this.refuse(path, `must ${verb} at least one ${item}`, 'out_of_range');
    if (count > most) this.refuse(path, `must ${verb} at most ${most} ${item}s, not ${count}`, 'out_of_range');
  }

  private findInObject(schema: JsonSchema, object: Fields, path: Path): void {
    const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
    const names = Object.keys(object);
    this.findInCount(schema, names.length, [schema.minProperties, schema.maxProperties], path);
    const others = additionalProperties === undefined ? [] : names.filter((name) => !Object.hasOwn(properties, name));
    if (additionalProperties === false)
      for (const name of others) this.refuse([...path, name], 'is not a field of this request', 'unknown_field');
    if (propertyNames && names.includes('')) this.refuse(path, propertyNames['x-refusal']!, 'out_of_range');
    for (const name of new Set([...Object.keys(properties), ...required])) {
      const property = properties[name] ?? {};
      const value = Object.hasOwn(object, name) ? object[name] : undefined;
      if (value !== undefined && (value !== null || !required.includes(name) || this.takesNull(property)))
        this.find(property, value, [...path, name]);
      else if (required.includes(name))
        this.refuse([...path, name], `is required and must be ${this.expected(property)}`, 'missing');
    }
    if (typeof additionalProperties !== 'object') return;
    for (const name of others) this.find(additionalProperties, object[name], [...path, name]);
  }

  private takesNull(given: JsonSchema): boolean {
    const { anyOf, type } = this.resolved(given);
    return anyOf ? anyOf.some((branch) => this.takesNull(branch)) : type === undefined || isOfType({ type }, null);
  }

  /** Reports the branch that the value means: by its type, then by its `type` or `role`, then by the fewest faults. */
  private findInUnion(schema: JsonSchema, branches: readonly JsonSchema[], value: unknown, path: Path): void {
    const fitting = branches.flatMap((branch) => this.flattened(branch)).filter((branch) => this.fits(branch, value));
    if (fitting.length === 0) return this.refuseType(schema, value, path);
    const tag = isRecord(value) && this.tagOf(fitting);
    if (!tag) return this.findInNearest(fitting, value, path);
    const given = value[tag];
    const meant = fitting.filter((branch) => this.isMeant(branch, tag, given));
    if (meant.length > 0) return this.findInNearest(meant, value, path);
    const choices = fitting.flatMap((branch) => this.objectOf(branch).properties[tag]!.enum ?? []);
    const open = fitting.map((branch) => this.objectOf(branch).properties[tag]!).find(({ not }) => not !== undefined);
    const told = { ...open, ...(!open && { enum: [...new Set(choices)] }) };
    if (given === undefined || given === null)
      this.refuse([...path, tag], `is required and must be ${this.expected(told)}`, 'missing');
    else this.find(told, given, [...path, tag]);
  }

  /** Reports a choice of fields, one of which must be present. */
  private findInChoice(schema: JsonSchema, branches: readonly JsonSchema[], object: Fields, path: Path): void {
    const given = branches.filter(({ required = [] }) => required.every((name) => isPresent(object[name])));
    if (given.length === 1) return this.find(given[0]!, object, path);
    const names = branches.flatMap(({ required = [] }) => required);
    const refusal = schema['x-refusal'] ?? `must have one of ${names.join(', ')}`;
    this.refuse(path, refusal, given.length === 0 ? 'missing' : 'not_allowed');
  }

  /** Reports the branch that declares most of the given fields; of several, the one with the fewest faults. */
  private findInNearest(branches: readonly JsonSchema[], value: unknown, path: Path): void {
    if (branches.length === 1) return this.find(branches[0]!, value, path);
    const faults = branches.map((branch) => this.faultsOf(branch, value, path));
    if (faults.some(({ length }) => length === 0)) return;
    const declared = branches.map((branch) => {
      const names = isRecord(value) ? Object.keys(this.objectOf(branch).properties) : [];
      return names.filter((name) => Object.hasOwn(value as Fields, name)).length;
    });
    const most = Math.max(...declared);
    const [nearest = []] = faults
      .filter((_, index) => declared[index] === most)
      .toSorted((a, b) => a.length - b.length);
    for (const { path: at, message, type } of nearest) this.refuse(at.slice(1), message, type);
  }

  private takes(schema: JsonSchema, value: unknown, path: Path): boolean {
    return this.faultsOf(schema, value, path).length === 0;
  }

  private faultsOf(schema: JsonSchema, value: unknown, path: Path): readonly InvalidField[] {
    const reader = new Reader();
    new Faults(this.context, reader).find(schema, value, path);
    return reader.problems;
  }

  /** The fields that a schema and its parts declare. */
  private objectOf(given: JsonSchema): {
    properties: Readonly<Record<string, JsonSchema>>;
    required: readonly string[];
  } {
    const { properties = {}, required = [], allOf = [] } = this.resolved(given);
    const parts = allOf.map((part) => this.objectOf(part));
    return {
      properties: Object.assign({}, ...parts.map((part) => part.properties), properties) as Record<string, JsonSchema>,
      required: [...parts.flatMap((part) => part.required), ...required],
    };
  }

  /** Unions within unions are one. */
  private flattened(branch: JsonSchema): readonly JsonSchema[] {
    const { anyOf, type } = this.resolved(branch);
    return anyOf && type === undefined ? anyOf.flatMap((one) => this.flattened(one)) : [branch];
  }

  private fits(branch: JsonSchema, value: unknown): boolean {
    const schema = this.resolved(branch);
    return isOfType(schema, value) && (schema.allOf ?? []).every((part) => this.fits(part, value));
  }

  /** The field that distinguishes objects, if each branch lists its values. */
  private tagOf(branches: readonly JsonSchema[]): string | undefined {
    return ['type', 'role'].find((name) =>
      branches.every((branch) => {
        const tag = this.objectOf(branch).properties[name];
        return tag?.enum !== undefined || tag?.not !== undefined;
      }),
    );
  }

  private isMeant(branch: JsonSchema, tag: string, value: unknown): boolean {
    const { properties, required } = this.objectOf(branch);
    if (value === undefined) return !required.includes(tag);
    const { enum: choices, not } = properties[tag]!;
    return choices
      ? (choices as readonly unknown[]).includes(value)
      : typeof value === 'string' && value !== '' && !not!.enum!.includes(value);
  }

  /** Describes the expected value: "a string or a list of strings". */
  private expected(given: JsonSchema): string {
    const schema = this.resolved(given);
    const told = schema['x-expected'];
    if (told !== undefined) return told;
    if (schema.enum) return `one of ${schema.enum.filter((choice) => choice !== null).join(', ')}`;
    if (schema.anyOf && schema.type === undefined) {
      const branches = schema.anyOf.filter(({ type }) => type !== 'null');
      return [...new Set(branches.map((branch) => this.expected(branch)))].join(' or ');
    }
    const [type] = [schema.type].flat();
    if (type === 'array') return `a list of ${this.item(schema)}s`;
    if (type === 'object' || schema.allOf) {
      const required = schema.required ?? [];
      return required.length > 0 ? `an object with ${required.join(' and ')}` : 'an object';
    }
    return (type !== undefined && PLAIN[type]) || 'a value';
  }

  private item({ 'x-item': item, items, additionalProperties }: JsonSchema): string {
    if (item !== undefined) return item;
    const one = items ?? additionalProperties;
    const expected = typeof one === 'object' ? this.expected(one) : '';
    return /^an? \w+$/.test(expected) ? expected.replace(/^an? /, '') : 'item';
  }
}

const PLAIN: Readonly<Record<string, string>> = {
  ...{ string: 'a string', number: 'a number', integer: 'a whole number', boolean: 'true or false', null: 'null' },
};

/** Whether a value has a type of the schema. */
function isOfType({ type }: JsonSchema, value: unknown): boolean {
  if (type === undefined) return true;
  const types = [type].flat();
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number') return types.includes('number') || types.includes('integer');
  return types.includes(typeof value);
}
