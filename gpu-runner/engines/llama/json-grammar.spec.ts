import type { JsonObject } from '#domain/json.js';
import { callGrammar, jsonGrammar } from './json-grammar.js';

const ORDER: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'integer', description: 'Of the order' },
    city: { enum: ['Gent', 'Lima "La"', 7], type: 'string' },
    note: { type: ['string', 'null'], maxLength: 5 },
    lines: { type: 'array', items: { $ref: '#/$defs/line' }, minItems: 1, maxItems: 3 },
  },
  required: ['id', 'lines'],
  additionalProperties: false,
  $defs: {
    line: {
      type: 'object',
      properties: { sku: { type: 'string' }, of: { anyOf: [{ $ref: '#/$defs/line' }, { const: null }] } },
    },
  },
};
const rulesOf = (grammar: string) =>
  new Map(
    grammar
      .trim()
      .split('\n')
      .map((line) => line.split(' ::= ') as [string, string]),
  );

/** Two tools whose definitions share a name. */
const TOOLS = ['integer', 'boolean'].map((type, at) => ({
  name: `tool${at}`,
  parameters: { properties: { a: { $ref: '#/$defs/a' } }, required: ['a'], $defs: { a: { type } } },
}));

describe('the grammar of a JSON schema', () => {
  it.each([
    ['a schema', () => jsonGrammar(ORDER)],
    ['calls of tools', () => callGrammar(TOOLS, { before: '<tool_call>\n', key: 'arguments', after: '' })],
  ])('names each rule once, and no rule that is not there: %s', (_, grammarOf) => {
    const grammar = grammarOf();
    const rules = rulesOf(grammar);
    expect(rules.size).toBe(grammar.trim().split('\n').length);
    for (const body of rules.values())
      for (const name of body.replace(/"(\\.|[^"\\])*"|\[(\\.|[^\]\\])*\]|\{[\d,]+\}/g, ' ').match(/[a-z]+\d*/g) ?? [])
        expect(rules.has(name)).toBe(true);
  });

  it('holds answers to the values of an enumeration that are of its type, as JSON', () => {
    const grammar = jsonGrammar(ORDER);
    expect(grammar).toContain(String.raw`"\"Gent\"" | "\"Lima \\\"La\\\"\""`);
    expect(grammar).not.toContain('"7"');
  });

  it('holds a call to the name and the arguments of one of the tools, each with its own definitions', () => {
    const rules = rulesOf(callGrammar(TOOLS, { before: '<tool_call>\n', key: 'arguments', after: '' }));
    const root = rules.get('root')!;
    expect(root).toMatch(/^"<tool_call>\\n" .*\\"tool0\\".*\|.*\\"tool1\\".* ""$/);
    expect([...rules].flatMap(([name, body]) => (/^ref\d/.test(name) ? [body] : []))).toEqual(['integer', 'boolean']);
  });

  it('is that of any object for true', () => {
    expect(rulesOf(jsonGrammar(true)).get('root')).toContain('"{"');
  });

  it.each<[string, JsonObject, string]>([
    [
      'a pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
      '`pattern` at $.properties.a',
    ],
    ['a bound of numbers', { type: 'number', minimum: 0 }, '`minimum` at $'],
    ['a format', { type: 'string', format: 'email' }, '`format` at $'],
    ['one of several', { oneOf: [{ type: 'string' }] }, '`oneOf` at $'],
    ['a reference to nothing', { $ref: '#/$defs/gone' }, '`$ref: #/$defs/gone` at $'],
    ['a property that is required and not there', { type: 'object', required: ['a'] }, '`required: a'],
    ['an unknown type', { type: 'date' }, '`type: date` at $'],
    ['values of another type', { type: 'string', enum: [1] }, 'values of another type'],
    ['too many characters', { type: 'string', maxLength: 1e6 }, 'a number of items or characters'],
    ['more at least than at most', { type: 'array', minItems: 3, maxItems: 2 }, 'a number of items or characters'],
    ['no schema', { type: 'array', items: 'string' }, 'where a schema is expected'],
  ])('refuses %s, by its name and place', (_, schema, said) => {
    expect(() => jsonGrammar(schema)).toThrow(said);
  });
});
