import { jest } from '@jest/globals';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { Ajv } from 'ajv';
import type { InvalidError } from '#domain/errors.js';
import { BodySchema, prepareBodySchemas } from './body-schema.js';
import { Closed } from './closed.js';

@Closed()
class Point {
  @ApiProperty({ enum: ['point'] })
  type!: string;

  @ApiProperty({ type: 'integer', minimum: 0, maximum: 9 })
  at!: number;
}

class Line {
  @ApiProperty({ enum: ['line'] })
  type!: string;

  @ApiPropertyOptional({ type: String, minLength: 1, maxLength: 5, nullable: true })
  style?: string | null;
}

@ApiExtraModels(Point, Line)
class Drawing {
  @ApiProperty({ minLength: 1, 'x-expected': 'the name of the drawing' })
  name!: string;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', nullable: true },
      {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        'x-item': 'shape',
        items: { oneOf: [{ $ref: getSchemaPath(Point) }, { $ref: getSchemaPath(Line) }] },
      },
    ],
  })
  shapes?: unknown;

  @ApiPropertyOptional({ type: Boolean, enum: [false, null], nullable: true, 'x-refusal': 'is not for drawings' })
  moving?: boolean | null;

  @ApiPropertyOptional({
    type: 'object',
    maxProperties: 2,
    additionalProperties: { type: 'number' },
    ...{ propertyNames: { minLength: 1, 'x-refusal': 'must not have an empty name' } },
  })
  sizes?: object;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    oneOf: ['id', 'url'].map((key) => ({ required: [key] })),
    'x-refusal': 'must have either id or url',
  })
  source?: object;
}

const drawing = new BodySchema(Drawing);
const refused = (body: unknown): readonly string[] => {
  try {
    drawing.checked(body);
    return [];
  } catch (error) {
    return (error as InvalidError).fields.map(({ path, message, type }) => `${path.join('.')} ${message} (${type})`);
  }
};

describe('a body checked against its DTO class', () => {
  it.each<[string, object]>([
    ['all its fields', { name: 'a', shapes: [{ type: 'point', at: 9 }, { type: 'line' }], sizes: { a: 1 } }],
    ['null for an optional field', { name: 'a', shapes: null, moving: null }],
    ['fields that an open class does not declare', { name: 'a', more: 1, shapes: [{ type: 'line', more: 1 }] }],
    ['a key called __proto__', JSON.parse('{"name": "a", "sizes": {"__proto__": 1}}') as object],
  ])('is accepted unchanged with %s', (_, body) => {
    expect(drawing.checked(body)).toBe(body);
  });

  it.each<[unknown, readonly string[]]>([
    [undefined, ['body is required; send a JSON object (missing)']],
    [[1], ['body must be a JSON object, not a list (wrong_type)']],
    [{}, ['body.name is required and must be the name of the drawing (missing)']],
    [{ name: null }, ['body.name is required and must be the name of the drawing (missing)']],
    [{ name: '' }, ['body.name must be the name of the drawing, not empty (out_of_range)']],
    [
      { name: 7, moving: true },
      [
        'body.name must be the name of the drawing, not a number (wrong_type)',
        'body.moving is not for drawings (not_allowed)',
      ],
    ],
    [{ name: 'a', shapes: 7 }, ['body.shapes must be a string or a list of shapes, not a number (wrong_type)']],
    [{ name: 'a', shapes: [] }, ['body.shapes must name at least one shape (out_of_range)']],
    [
      { name: 'a', shapes: [7] },
      ['body.shapes.0 must be an object with type and at or an object with type, not a number (wrong_type)'],
    ],
    [{ name: 'a', shapes: [{}] }, ['body.shapes.0.type is required and must be one of point, line (missing)']],
    [{ name: 'a', shapes: [{ type: 'arc' }] }, ['body.shapes.0.type must be one of point, line (not_allowed)']],
    [{ name: 'a', shapes: [{ type: 'point' }] }, ['body.shapes.0.at is required and must be a whole number (missing)']],
    [
      { name: 'a', shapes: [{ type: 'point', at: 10, up: 1 }] },
      [
        'body.shapes.0.up is not a field of this request (unknown_field)',
        'body.shapes.0.at must be from 0 to 9, not 10 (out_of_range)',
      ],
    ],
    [
      { name: 'a', shapes: [{ type: 'point', at: 0.5 }] },
      ['body.shapes.0.at must be a whole number, not 0.5 (wrong_type)'],
    ],
    [
      { name: 'a', shapes: [{ type: 'line', style: 'dotted' }] },
      ['body.shapes.0.style must be at most 5 characters long, not 6 (out_of_range)'],
    ],
    [{ name: 'a', sizes: { a: 1, b: 2, c: 3 } }, ['body.sizes must hold at most 2 numbers, not 3 (out_of_range)']],
    [
      { name: 'a', sizes: { '': 1, b: 'x' } },
      [
        'body.sizes must not have an empty name (out_of_range)',
        'body.sizes.b must be a number, not a string (wrong_type)',
      ],
    ],
    [{ name: 'a', source: {} }, ['body.source must have either id or url (missing)']],
    [{ name: 'a', source: { id: 1, url: 2 } }, ['body.source must have either id or url (not_allowed)']],
  ])('is refused by the name of each field: %j', (body, expected) => {
    expect(refused(body)).toEqual(expected);
  });

  it('may have fields that no class declares, which are named by their paths', () => {
    const ignored: string[] = [];
    const open = (body: unknown) => drawing.checkedOpen(body, (path) => ignored.push(path.join('.')));
    const body = { name: 'a', shapes: [{ type: 'point', at: 9, up: 1, by: 2 }, { type: 'line' }] };
    expect([open(body), ignored]).toEqual([body, ['shapes.0.up', 'shapes.0.by']]);
    const many = { name: 'a', shapes: Array.from({ length: 150 }, () => ({ type: 'point', at: 9, up: 1 })) };
    expect(open(many)).toBe(many);
    expect(() => open({ ...many, sizes: { a: 'x' } })).toThrow(/sizes\.a: must be a number/);
  });

  it('names the one fault in a long list', () => {
    const shapes = [...Array<object>(150).fill({ type: 'line' }), { type: 'point', at: 10 }];
    expect(refused({ name: 'a', shapes })).toEqual(['body.shapes.150.at must be from 0 to 9, not 10 (out_of_range)']);
  });

  it('names no more than a hundred faults', () => {
    expect(refused({ name: 'a', shapes: Array(200).fill({}) })).toHaveLength(100);
    expect(refused({ name: 'a', shapes: Array(5_000).fill({}) })).toHaveLength(100);
  });

  it('is refused with the message of a hint, and no others, if a hint applies', () => {
    const hinted = () =>
      drawing.checked({ shapes: [7] }, (reader) => reader.refuse(['shapes'], 'must be round', 'shape'));
    const fields = [
      { path: ['body', 'name'], message: 'is required and must be the name of the drawing', type: 'missing' },
      { path: ['body', 'shapes'], message: 'must be round', type: 'shape' },
    ];
    expect(hinted).toThrow(expect.objectContaining({ fields }));
  });

  it('is compiled once, also when all bodies are prepared', async () => {
    const declared = new BodySchema(Drawing);
    const compile = jest.spyOn(Ajv.prototype, 'compile');
    try {
      await prepareBodySchemas();
      expect(compile).toHaveBeenCalled();
      compile.mockClear();
      expect(declared.checked({ name: 'a' })).toEqual({ name: 'a' });
      expect(compile).not.toHaveBeenCalled();
    } finally {
      compile.mockRestore();
    }
  });
});

describe('a body that says the same in other types', () => {
  const taken = (more: object) => drawing.checkedLoosely({ name: 'a', ...more });
  const refusedLoosely = (more: object): readonly string[] => {
    try {
      taken(more);
      return [];
    } catch (error) {
      return (error as InvalidError).fields.map(({ path }) => path.slice(1).join('.'));
    }
  };

  it.each<[string, object, object]>([
    ['a number as a text', { sizes: { a: ' 1.5 ', b: '-2e1' } }, { sizes: { a: 1.5, b: -20 } }],
    [
      'a whole number in a list of kinds',
      { shapes: [{ type: 'point', at: '9' }] },
      { shapes: [{ type: 'point', at: 9 }] },
    ],
    ['a boolean as a text', { moving: 'False' }, { moving: false }],
    ['one value for a list', { shapes: { type: 'line' } }, { shapes: [{ type: 'line' }] }],
    ['both at once', { shapes: { type: 'point', at: '1' } }, { shapes: [{ type: 'point', at: 1 }] }],
    ['null for an optional field that has no null', { sizes: null, source: null }, {}],
    [
      'an empty text for an optional field',
      { moving: '', sizes: '', shapes: [{ type: 'line', style: '' }] },
      { shapes: [{ type: 'line' }] },
    ],
  ])('is taken with %s', (_, more, meant) => {
    expect(taken(more)).toEqual({ name: 'a', ...meant });
  });

  it.each<[string, object, readonly string[]]>([
    ['a text that is no number', { sizes: { a: 'wide' } }, ['sizes.a']],
    ['a number beyond its bounds', { shapes: [{ type: 'point', at: '10' }] }, ['shapes.0.at']],
    ['half a number for a whole one', { shapes: [{ type: 'point', at: '1.5' }] }, ['shapes.0.at']],
    ['a boolean that is refused as one', { moving: 'true' }, ['moving']],
    ['null for a required field', { name: null }, ['name']],
    ['an empty text for a required field', { name: '' }, ['name']],
    ['other faults beside, which alone are named', { name: 5, sizes: { a: '1' } }, ['name']],
  ])('is refused with %s', (_, more, expected) => {
    expect(refusedLoosely(more)).toEqual(expected);
  });
});
