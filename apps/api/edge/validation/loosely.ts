import { isRecord } from '#primitives/values.js';
import type { Compile } from './faults.js';
import type { JsonSchema } from './json-schema.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A refused value with what clients write otherwise and mean the same: numbers and booleans as texts, one value for a list of one, and
 * null or an empty text for an optional field, which is left out. All else stays as it is, for the schema to refuse.
 */
export function loosened(schema: JsonSchema, value: unknown, compile: Compile): unknown {
  return new Loosening(schema.$defs ?? {}, compile).of(schema, value);
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const FLAG = /^(?:true|false)$/i;

class Loosening {
  constructor(
    private readonly defs: Readonly<Record<string, JsonSchema>>,
    private readonly compile: Compile,
  ) {}

  of(given: JsonSchema, value: unknown): unknown {
    const schema = this.resolved(given);
    const parts = (schema.allOf ?? []).reduce((changed, part) => this.of(part, changed), value);
    const taken = schema.anyOf ? this.inUnion(schema.anyOf, parts) : parts;
    const types = [schema.type].flat();
    if (typeof taken === 'string') return this.inText(schema, types, taken);
    if (Array.isArray(taken)) return types.includes('array') ? this.inList(schema, taken) : taken;
    if (!isRecord(taken)) return taken;
    if (types.includes('array') && !types.includes('object')) return this.inList(schema, [taken]);
    return schema.properties || typeof schema.additionalProperties === 'object' ? this.inObject(schema, taken) : taken;
  }

  private resolved(schema: JsonSchema): JsonSchema {
    return schema.$ref === undefined ? schema : this.defs[schema.$ref.slice('#/$defs/'.length)]!;
  }

  /** The first branch that takes the value then. */
  private inUnion(branches: readonly JsonSchema[], value: unknown): unknown {
    if (branches.some((branch) => this.compile(branch)(value))) return value;
    for (const branch of branches) {
      const changed = this.of(branch, value);
      if (changed !== value && this.compile(branch)(changed)) return changed;
    }
    return value;
  }

  private inText(schema: JsonSchema, types: readonly unknown[], text: string): unknown {
    if (types.includes('string') || schema.anyOf) return text;
    const said = text.trim();
    if ((types.includes('number') || types.includes('integer')) && NUMBER.test(said)) return Number(said);
    if (types.includes('boolean') && FLAG.test(said)) return said.toLowerCase() === 'true';
    return types.includes('array') && schema.items && this.compile(schema.items)(text) ? [text] : text;
  }

  private inList({ items }: JsonSchema, list: readonly unknown[]): unknown {
    if (!items) return list;
    const accepts = this.compile(items);
    return list.map((item) => (accepts(item) ? item : this.of(items, item)));
  }

  private inObject(
    { properties = {}, required = [], additionalProperties: others }: JsonSchema,
    object: Fields,
  ): Fields {
    return Object.fromEntries(
      Object.entries(object).flatMap(([name, value]) => {
        const schema = Object.hasOwn(properties, name) ? properties[name]! : others;
        if (typeof schema !== 'object') return [[name, value]];
        const saysNothing = (value === null || value === '') && !required.includes(name);
        if (saysNothing) return this.compile(schema)(value) ? [[name, value]] : [];
        return [[name, this.of(schema, value)]];
      }),
    );
  }
}
