import { Transform, type TransformFnParams } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import type { ArgumentMetadata } from '@nestjs/common';
import { HttpError } from '../errors/http-error.js';
import { Closed } from './closed.js';
import { ignoredIn } from '../ignored-fields.js';
import {
  canonicalTime,
  ItemsOf,
  QueryBoolean,
  QueryInteger,
  QueryOneOf,
  QueryTime,
  RequestValidationPipe,
} from './index.js';

class Item {
  @IsString()
  @MaxLength(20)
  name!: string;
}

@Closed()
class Order {
  @IsInt()
  @Min(1)
  @Max(9)
  count!: number;

  @IsArray()
  @ArrayMaxSize(20)
  @ItemsOf(() => Item)
  items!: Item[];

  @Allow()
  anything?: unknown;

  @IsOptional()
  @IsNumber()
  rate?: number;
}

class Open {
  @IsString()
  name!: string;
}

/** Notes what class-transformer gets. */
@Closed()
class Watched {
  static readonly seen: unknown[] = [];

  @IsOptional()
  @IsString()
  @Transform(({ obj, value }: TransformFnParams): unknown => {
    Watched.seen.push(obj);
    return value;
  })
  name?: string;

  @Allow()
  anything?: unknown;
}

class Page {
  @QueryInteger({ min: 1, max: 500 })
  limit = 100;

  @QueryBoolean()
  all?: boolean;

  @QueryOneOf(['asc', 'desc'])
  order?: string;

  @QueryTime()
  since?: string;
}

const pipe = new RequestValidationPipe();
const check = async (type: 'body' | 'query', metatype: NonNullable<ArgumentMetadata['metatype']>, value: unknown) => {
  try {
    return await pipe.transform(value, { type, metatype });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return { status: error.status, errors: error.options.errors };
  }
};

describe('bodies', () => {
  it('name every refused field, also in lists', async () => {
    expect(await check('body', Order, { count: 99, items: [{ name: 'a' }, { name: 5 }, {}] })).toEqual({
      status: 422,
      errors: [
        { loc: ['body', 'count'], msg: 'must not be greater than 9', type: 'out_of_range' },
        { loc: ['body', 'items', 1, 'name'], msg: 'must be a string', type: 'wrong_type' },
        { loc: ['body', 'items', 2, 'name'], msg: 'is required and must be a string', type: 'missing' },
      ],
    });
  });

  it('lose unknown fields, which are noted, unless their class is closed', async () => {
    const sent = { name: 'a', more: 1, constructor: 1 };
    expect(await check('body', Open, sent)).toEqual({ name: 'a' });
    expect(ignoredIn(sent)).toEqual(['more', 'constructor']);
    expect(ignoredIn({})).toBeNull();
  });

  it('name unknown fields, also in items of lists', async () => {
    const sent = {
      count: 99,
      more: 1,
      items: [{ name: 'a', price: 1 }],
      constructor: 1,
      anything: { some: { field: 1 } },
    };
    expect(await check('body', Order, sent)).toEqual({
      status: 422,
      errors: [
        { loc: ['body', 'more'], msg: 'is not a field of this request', type: 'unknown_field' },
        { loc: ['body', 'items', 0, 'price'], msg: 'is not a field of this request', type: 'unknown_field' },
        { loc: ['body', 'constructor'], msg: 'is not a field of this request', type: 'unknown_field' },
        { loc: ['body', 'count'], msg: 'must not be greater than 9', type: 'out_of_range' },
      ],
    });
  });

  it('keep the JSON values that they contain', async () => {
    const sent = { count: 1, items: [], anything: { some: [{ field: 1 }] } };
    expect(await check('body', Order, sent)).toEqual(sent);
  });

  it('keep values of keys that every object inherits', async () => {
    const anything = { constructor: { name: 'a' }, then: 1, hasOwnProperty: null, list: [{ constructor: 1 }] };
    expect(await check('body', Order, { count: 1, items: [], anything })).toEqual({ count: 1, items: [], anything });
  });

  it.each<[string, (string | number)[]]>([
    ['{"count": {"constructor": 1}, "items": []}', ['body', 'count']],
    ['{"count": [{"constructor": 1}], "items": []}', ['body', 'count']],
    ['{"count": 1, "items": {"constructor": 1}}', ['body', 'items']],
    ['{"count": 1, "items": [{"name": {"constructor": 1}}]}', ['body', 'items', 0, 'name']],
    ['{"count": 1, "items": [], "__proto__": {"rate": 1}}', ['body', '__proto__']],
    ['{"count": 1, "items": [{"name": "a", "__proto__": {}}]}', ['body', 'items', 0, '__proto__']],
  ])('%s is refused by name', async (sent, loc) => {
    expect(await check('body', Order, JSON.parse(sent))).toMatchObject({ status: 422, errors: [{ loc }] });
  });

  it('with 80,000 unknown fields do not reach class-transformer', async () => {
    const fields = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`field${index}`, 1]));
    Watched.seen.length = 0;
    expect(await check('body', Watched, { name: 'a', ...fields })).toMatchObject({ errors: { length: 100 } });
    expect(Watched.seen).toEqual([]);
    expect(await check('body', Watched, { name: 'a', more: 1, anything: fields })).toMatchObject({
      errors: [{ loc: ['body', 'more'] }],
    });
    expect(Watched.seen).toEqual([{ name: 'a' }]);
  });

  it('report a list that is too long, and at most a hundred problems', async () => {
    const long = await check('body', Order, { count: 1, items: Array.from({ length: 5_000 }, () => ({ name: 'a' })) });
    expect(long).toMatchObject({ errors: [{ loc: ['body', 'items'], type: 'out_of_range' }] });
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]));
    expect(await check('body', Order, fields)).toMatchObject({ errors: { length: 100 } });
  });

  it('do not accept a numeric string for a number', async () => {
    expect(await check('body', Order, { count: '5', items: [] })).toMatchObject({ status: 422 });
    expect(await check('body', Order, { count: 5, items: [], rate: '1e-4' })).toMatchObject({
      errors: [{ loc: ['body', 'rate'], msg: 'must be a number', type: 'wrong_type' }],
    });
  });
});

describe('queries', () => {
  it('have defaults and are converted', async () => {
    expect(await check('query', Page, {})).toMatchObject({ limit: 100 });
    expect(await check('query', Page, { limit: '5', all: 'true', order: 'asc', since: '2030-01-02' })).toEqual({
      limit: 5,
      all: true,
      order: 'asc',
      since: '2030-01-02T00:00:00.000Z',
    });
  });

  it.each([
    [{ limit: '010' }, { limit: 10 }],
    [{ limit: '1e1' }, { limit: 10 }],
    [{ limit: '+5.' }, { limit: 5 }],
    [{ all: 'FALSE' }, { limit: 100, all: false }],
    [{ all: '0' }, { limit: 100, all: false }],
    [{ all: '1' }, { limit: 100, all: true }],
  ])('%j is %j', async (query, read) => {
    expect(await check('query', Page, query)).toEqual(read);
  });

  it.each([
    [{ limit: 'ten' }, 400],
    [{ limit: ' ' }, 400],
    [{ limit: ' 5' }, 400],
    [{ limit: '0x10' }, 400],
    [{ limit: 'Infinity' }, 400],
    [{ limit: 'NaN' }, 400],
    [{ limit: ['1'] }, 400],
    [{ all: '' }, 400],
    [{ all: ['true'] }, 400],
    [{ limit: '1.5' }, 400],
    [{ limit: '' }, 400],
    [{ limit: ['1', '2'] }, 400],
    [{ all: 'perhaps' }, 400],
    [{ order: 'sideways' }, 400],
    [{ since: 'yesterday' }, 400],
    [{ since: '2030-02-30' }, 400],
    [{ limit: '0' }, 422],
    [{ limit: '501' }, 422],
  ])('%j is %i', async (query, status) => {
    expect(await check('query', Page, query)).toMatchObject({ status });
  });
});

describe('times', () => {
  it.each([
    ['2030-01-02', '2030-01-02T00:00:00.000Z'],
    ['2030-01-02T03:04:05', '2030-01-02T03:04:05.000Z'],
    ['2030-01-02 03:04', '2030-01-02T03:04:00.000Z'],
    ['2030-01-02T03:04:05.678901Z', '2030-01-02T03:04:05.678Z'],
    ['2030-01-02T03:04:05+02:00', '2030-01-02T01:04:05.000Z'],
  ])('%s is %s', (text, time) => {
    expect(canonicalTime(text)).toBe(time);
  });

  it.each([
    '2030-02-30',
    '2030-02-30T00:00:00Z',
    '2030-13-01',
    '2030-W01',
    '20300102',
    '+012345-01-01',
    'now',
    '2030-01-02T25:00:00Z',
  ])('%s is not a time', (text) => {
    expect(canonicalTime(text)).toBe(text);
  });
});
