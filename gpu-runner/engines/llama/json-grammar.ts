import type { Json, JsonObject } from '#domain/json.js';
import type { GenerationTool } from '#gpu-runner/contract/generation.js';

/** A schema holds an answer to something that no grammar here expresses. The message, for the user, names the keyword and its place. */
export class UnsupportedSchemaError extends Error {
  override readonly name = 'UnsupportedSchemaError';
}

/** JSON with little white space, in GBNF (https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md). */
const JSON_RULES = String.raw`value ::= object | array | string | number | boolean | "null"
object ::= "{" ws ( pair ( "," ws pair )* )? "}"
pair ::= string ":" ws value ws
array ::= "[" ws ( value ws ( "," ws value ws )* )? "]"
string ::= "\"" char* "\""
char ::= [^"\\\x7F\x00-\x1F] | "\\" ( ["\\bfnrt/] | "u" ( [0-9a-cA-Ce-fE-F] hex | [dD] [0-7] ) hex hex )
hex ::= [0-9a-fA-F]
integer ::= "-"? ( "0" | [1-9] [0-9]{0,15} )
number ::= integer ( "." [0-9]{1,16} )? ( [eE] [-+]? [0-9]{1,3} )?
boolean ::= "true" | "false"
ws ::= ( " " | "\n" [ \t]{0,20} )?
`;

/** Keywords that hold an answer to nothing. */
const ANNOTATIONS = [
  ...[
    'title',
    'description',
    'default',
    'examples',
    '$schema',
    '$id',
    '$comment',
    'deprecated',
    'readOnly',
    'writeOnly',
  ],
  ...['$defs', 'definitions'],
];
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties'],
  array: ['items', 'minItems', 'maxItems'],
  string: ['minLength', 'maxLength'],
};
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** llama.cpp writes a repetition out. */
const MAX_REPETITIONS = 1_000;

/**
 * The grammar of JSON of a schema, or of any object, whose properties come in the order of the schema.
 * @throws UnsupportedSchemaError
 */
export function jsonGrammar(schema: JsonObject | true): string {
  const grammar = new SchemaGrammar();
  return grammar.text(grammar.whole(schema === true ? { type: 'object' } : schema));
}

/**
 * The grammar of one call of a tool, `{"name", KEY: {}}` between two texts.
 * @throws UnsupportedSchemaError
 */
export function callGrammar(tools: readonly GenerationTool[], { before, key, after }: CallForm): string {
  const grammar = new SchemaGrammar();
  const calls = tools.map(
    ({ name, parameters }) =>
      `"{" ws ${literal('name')} ":" ws ${literal(name)} ws "," ws ${literal(key)} ":" ws ${grammar.whole({ type: 'object', ...parameters })} ws "}"`,
  );
  return grammar.text(`${JSON.stringify(before)} ${either(calls)} ${JSON.stringify(after)}`);
}

/** How a family writes a call. */
export interface CallForm {
  readonly before: string;
  /** Of the arguments. */
  readonly key: string;
  readonly after: string;
}

class SchemaGrammar {
  private readonly rules = new Map<string, string>();
  /** The schema that references are of. */
  private schema: JsonObject = {};
  /** Rules of its definitions, by reference. */
  private referred = new Map<string, string>();

  /** @param root body of the first rule */
  text(root: string): string {
    const own = [['root', root] as const, ...this.rules].map(([name, body]) => `${name} ::= ${body}\n`);
    return `${own.join('')}${JSON_RULES}`;
  }

  /** The body of a rule for a schema that is no part of another one. */
  whole(schema: JsonObject): string {
    this.schema = schema;
    this.referred = new Map();
    return this.of(schema, '$');
  }

  private of(given: Json, at: string): string {
    if (given === true) return 'value';
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new UnsupportedSchemaError(`has ${JSON.stringify(given)} at ${at}, where a schema is expected`);
    const schema = given as JsonObject;
    const { $ref: reference, const: constant, enum: values, anyOf: some, type } = schema;
    if (reference !== undefined) return this.allowing(schema, ['$ref'], at, () => this.reference(reference, at));
    if (constant !== undefined) return this.allowing(schema, ['const', 'type'], at, () => oneOf([constant], type, at));
    if (values !== undefined)
      return this.allowing(schema, ['enum', 'type'], at, () => oneOf(list(values, `${at}.enum`), type, at));
    if (some !== undefined)
      return this.allowing(schema, ['anyOf'], at, () =>
        either(list(some, `${at}.anyOf`).map((each, index) => this.of(each, `${at}.anyOf[${index}]`))),
      );
    if (type === undefined) return this.allowing(schema, [], at, () => 'value');
    const types = Array.isArray(type) ? (type as readonly Json[]) : [type];
    return this.allowing(schema, ['type', ...types.flatMap((each) => KEYWORDS[shown(each)] ?? [])], at, () =>
      either(types.map((each) => this.ofType(shown(each), schema, at))),
    );
  }

  /** Refuses a schema with other keywords than those. */
  private allowing(schema: JsonObject, keywords: readonly string[], at: string, rule: () => string): string {
    const other = Object.keys(schema).find((name) => !keywords.includes(name) && !ANNOTATIONS.includes(name));
    if (other !== undefined) throw unsupported(other, at);
    return rule();
  }

  private ofType(type: string, schema: JsonObject, at: string): string {
    if (!TYPES.includes(type)) throw unsupported(`type: ${type}`, at);
    if (type === 'object') return this.object(schema, at);
    if (type === 'array') return this.array(schema, at);
    if (type !== 'string') return type === 'null' ? '"null"' : type;
    const { minLength, maxLength } = schema;
    if (minLength === undefined && maxLength === undefined) return 'string';
    return `"\\"" char${times(minLength, maxLength, at)} "\\""`;
  }

  private array({ items = true, minItems: least = 0, maxItems: most }: JsonObject, at: string): string {
    const item = `${this.rule(this.of(items, `${at}.items`))} ws`;
    if (most === 0) return '"[" ws "]"';
    const others = `( "," ws ${item} )${times(Math.max(0, Number(least) - 1), most === undefined ? most : Number(most) - 1, at)}`;
    return `"[" ws ( ${item} ${others} )${Number(least) > 0 ? '' : '?'} "]"`;
  }

  private object({ properties, required = [], additionalProperties: more = true }: JsonObject, at: string): string {
    const members = Object.entries((properties ?? {}) as JsonObject);
    const needed = list(required, `${at}.required`);
    const unknown = needed.find((name) => !members.some(([own]) => own === name));
    if (unknown !== undefined) throw unsupported(`required: ${shown(unknown)}, which properties lacks`, at);
    if (members.length === 0) {
      if (more === false) return '"{" ws "}"';
      const pair = this.rule(`string ":" ws ${this.rule(this.of(more, `${at}.additionalProperties`))} ws`);
      return `"{" ws ( ${pair} ( "," ws ${pair} )* )? "}"`;
    }
    let [first, later] = ['""', '""'];
    for (const [name, schema] of members.toReversed()) {
      const pair = this.rule(`${literal(name)} ":" ws ${this.of(schema!, `${at}.properties.${name}`)} ws`);
      const after = this.rule(later);
      const isNeeded = needed.includes(name);
      first = isNeeded ? `${pair} ${after}` : `( ${pair} ${after} | ${this.rule(first)} )`;
      later = isNeeded ? `"," ws ${pair} ${after}` : `( "," ws ${pair} )? ${after}`;
    }
    return `"{" ws ${first} "}"`;
  }

  private reference(reference: Json, at: string): string {
    const known = this.referred.get(shown(reference));
    if (known !== undefined) return known;
    const [, folder = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(shown(reference)) ?? [];
    const found = reference === '#' ? this.schema : (this.schema[folder] as JsonObject | undefined)?.[decoded(name)];
    if (found === undefined) throw unsupported(`$ref: ${shown(reference)}`, at);
    const rule = `ref${this.rules.size}`;
    this.referred.set(shown(reference), rule);
    this.rules.set(rule, '');
    this.rules.set(rule, this.of(found, shown(reference)));
    return rule;
  }

  private rule(body: string): string {
    if (/^[a-z]+\d*$/.test(body)) return body;
    const name = `rule${this.rules.size}`;
    this.rules.set(name, body);
    return name;
  }
}

const unsupported = (keyword: string, at: string): UnsupportedSchemaError =>
  new UnsupportedSchemaError(`has \`${keyword}\` at ${at}, which the llama engine cannot hold an answer to`);

function list(value: Json, at: string): readonly Json[] {
  if (Array.isArray(value) && (value.length > 0 || at.endsWith('.required'))) return value as readonly Json[];
  throw new UnsupportedSchemaError(`has no list of values at ${at}`);
}

/** Those of the values that are of the type. */
function oneOf(values: readonly Json[], type: Json | undefined, at: string): string {
  const fit = values.filter((value) => type === undefined || [type].flat().some((each) => isOfType(value, each)));
  if (fit.length === 0) throw unsupported('values of another type', at);
  return either(fit.map(literal));
}

function isOfType(value: Json, type: Json): boolean {
  if (value === null || Array.isArray(value)) return type === (value === null ? 'null' : 'array');
  return type === typeof value || (type === 'integer' && Number.isInteger(value));
}

const either = (rules: readonly string[]): string => (rules.length === 1 ? rules[0]! : `( ${rules.join(' | ')} )`);

function times(least: Json | undefined, most: Json | undefined, at: string): string {
  const [from, to] = [least ?? 0, most ?? MAX_REPETITIONS];
  const isCount = (value: Json) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_REPETITIONS;
  if (!isCount(from) || !isCount(to) || Number(to) < Number(from))
    throw unsupported(`a number of items or characters that is not from 0 to ${MAX_REPETITIONS}`, at);
  return `{${Number(from)},${most === undefined ? '' : Number(to)}}`;
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A value as JSON, as a string of the grammar. */
const literal = (value: Json): string => JSON.stringify(JSON.stringify(value));

/** A part of a JSON pointer in a URI (RFC 6901). */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
};
