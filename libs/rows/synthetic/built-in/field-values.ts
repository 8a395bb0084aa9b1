import type { FieldSpec } from '#domain/generation-job/index.js';
import type { Json } from '#domain/json.js';
import { items } from '../templates/template.js';
import { between, chance, faker, filled, pick, some } from './draw.js';
import { entityTypeOf } from './entity-types.js';
import { dictionary, entryOf, nameWords, normalised } from './names.js';
import { newMemo, SLOTS, type Memo } from './slots.js';
import { handleOf, worldly } from './values/people.js';
import { place } from './values/places.js';
import * as times from './values/times.js';

/** Values already chosen for one record: its person, its place. */
type RecordMemo = Memo;

export type Value = (memo: RecordMemo) => Json;

export function newRecord(): RecordMemo {
  const memo = newMemo();
  memo.person = worldly();
  memo.place = place();
  return memo;
}

/** Chooses how to fill a field from its choices, type, name and description; null if none of them suffices. */
export function valueOf(field: FieldSpec): Value | null {
  const choices = field.choices ?? choicesIn(field.description);
  switch (field.type) {
    case 'boolean':
      return () =>
        chance(
          /^(?:is|has)? ?(?:active|enabled|verified|available|in stock)/.test(normalised(field.name)) ? 0.75 : 0.5,
        );
    case 'number':
      return numberOf(field, choices);
    case 'string':
      return choices === null ? textOf(field) : () => pick(choices);
    case 'list': {
      if (choices !== null) return () => some(choices, between(1, Math.min(4, choices.length)));
      const one = textOf({ ...field, name: field.name.replace(/[_ ]?list$/i, '') });
      return one && (() => [...new Set(Array.from({ length: between(1, 4) }, () => one(newRecord())))]);
    }
  }
}

/** "One of red, green or blue." */
function choicesIn(description: string | null): readonly string[] | null {
  const list = /\b(?:one of|choices?|either)\b:? +([^.;]+)/i.exec(description ?? '')?.[1];
  const choices = list
    ?.split(/,| or |\//)
    .map((choice) => choice.replace(/^ *(?:or )?["']?|["']? *$/g, ''))
    .filter((choice) => choice !== '');
  return choices && choices.length > 1 ? choices : null;
}

/** "Between 1 and 5", "0-100", "from 10 to 20". */
function rangeIn(description: string | null): readonly [number, number] | null {
  const match = /(-?\d+(?:\.\d+)?) *(?:-|–|to|and) *(-?\d+(?:\.\d+)?)/.exec(description ?? '');
  const [low, high] = [Number(match?.[1]), Number(match?.[2])];
  return match && low < high ? [low, high] : null;
}

/** Lowest, highest, decimals. */
const RANGES: Readonly<Record<string, readonly [low: number, high: number, decimals?: number]>> = {
  age: [18, 88],
  year: [1990, 2026],
  rating: [1, 5],
  star: [1, 5],
  score: [0, 100],
  price: [3, 499, 2],
  cost: [3, 999, 2],
  amount: [5, 2500, 2],
  total: [5, 2500, 2],
  subtotal: [5, 2000, 2],
  fee: [1, 99, 2],
  tax: [1, 200, 2],
  balance: [0, 9000, 2],
  salary: [28000, 190000],
  income: [18000, 240000],
  revenue: [10000, 9000000],
  budget: [1000, 900000],
  quantity: [1, 40],
  count: [0, 500],
  stock: [0, 900],
  unit: [1, 60],
  item: [1, 20],
  number: [1, 1000],
  percent: [0, 100],
  percentage: [0, 100],
  discount: [5, 60],
  rate: [0, 20, 2],
  weight: [1, 120, 1],
  height: [150, 200],
  width: [5, 300],
  length: [5, 300],
  depth: [5, 200],
  temperature: [-10, 38, 1],
  humidity: [10, 100],
  duration: [5, 240],
  minute: [5, 240],
  hour: [1, 48],
  day: [1, 60],
  month: [1, 12],
  second: [1, 600],
  distance: [1, 900, 1],
  speed: [5, 160],
  latitude: [-60, 70, 5],
  longitude: [-170, 170, 5],
  id: [1000, 999999],
  floor: [1, 30],
  room: [1, 8],
  bedroom: [1, 5],
  bathroom: [1, 3],
  guest: [1, 10],
  people: [1, 12],
  seat: [1, 300],
  mileage: [500, 180000],
  calorie: [50, 1200],
  page: [40, 900],
  population: [1000, 9000000],
  experience: [0, 30],
  port: [1024, 65535],
  priority: [1, 5],
  confidence: [0, 1, 2],
  probability: [0, 1, 2],
  view: [0, 90000],
  like: [0, 9000],
  follower: [10, 90000],
  employee: [3, 20000],
  size: [10, 400],
  area: [20, 400],
  volume: [1, 500],
  zip: [10001, 99499],
  grade: [1, 12],
  capacity: [10, 900],
  'heart rate': [52, 120],
  bpm: [60, 180],
};

function numberOf(field: FieldSpec, choices: readonly string[] | null): Value | null {
  const numbers = choices?.map(Number).filter(Number.isFinite) ?? [];
  if (numbers.length > 0) return () => pick(numbers);
  const described = rangeIn(field.description);
  if (described !== null) {
    const [min, max] = described;
    return Number.isInteger(min) && Number.isInteger(max)
      ? () => between(min, max)
      : () => faker.number.float({ min, max, fractionDigits: 2 });
  }
  const range = tails(field.name)
    .map((name) => entryOf(RANGES, name))
    .find((each) => each !== undefined);
  if (range === undefined) return null;
  const [min, max, fractionDigits] = range;
  return fractionDigits === undefined
    ? () => between(min, max)
    : () => faker.number.float({ min, max, fractionDigits });
}

/** Text fields beyond those that are part of texts. */
const MORE: Readonly<Record<string, Value>> = {
  full_name: (memo) => `${memo.person!.first} ${memo.person!.last}`,
  first_name: ({ person }) => person!.first,
  last_name: ({ person }) => person!.last,
  username: ({ person }) => handleOf(person!),
  city: ({ place: at }) => at!.city,
  country: ({ place: at }) => at!.country,
  state: (memo) => memo.place!.state ?? memo.place!.city,
  date: () => times.isoDay({ ...times.day(), form: 5 }),
  birth_date: () => times.isoDay({ ...times.day(), year: between(1945, 2006), form: 5 }),
  datetime: () => `${times.isoDay(times.day())}T${filled('1#')}:${between(10, 59)}:${between(10, 59)}Z`,
  time: () => `${String(between(0, 23)).padStart(2, '0')}:${pick(['00', '15', '30', '45'])}`,
  gender: () => pick(['female', 'male', 'non-binary']),
  uuid: () => faker.string.uuid(),
  status: () => pick(['active', 'inactive', 'pending']),
  priority: () => pick(['low', 'medium', 'high']),
  category: () => faker.commerce.department(),
  product_description: () => faker.commerce.productDescription(),
  country_code: () => faker.location.countryCode(),
  currency_code: () => faker.finance.currencyCode(),
  blood_type: () => pick(['A+', 'A-', 'B+', 'B-', 'AB+', 'AB-', 'O+', 'O-']),
  marital_status: () => pick(['single', 'married', 'divorced', 'widowed']),
  clothing_size: () => pick(['XS', 'S', 'M', 'L', 'XL', 'XXL']),
  isbn: () => faker.commerce.isbn(),
  domain: () => faker.internet.domainName(),
  user_agent: () => faker.internet.userAgent(),
  timezone: () => faker.location.timeZone(),
  industry: () =>
    pick(
      items(
        'Retail;Banking;Healthcare;Software;Logistics;Manufacturing;Education;Energy;Hospitality;Insurance;Media;Construction;Agriculture;Telecommunications',
      ),
    ),
  payment_method: () => pick(['credit card', 'debit card', 'PayPal', 'bank transfer', 'cash', 'Apple Pay']),
  price: (memo) => SLOTS['price']!(memo).text,
  employment_type: () => pick(['full-time', 'part-time', 'contract', 'internship']),
};
const MORE_NAMES = dictionary({
  full_name:
    'name; person; customer; client; patient; employee; author; contact; user; recipient; sender; owner; manager; guest; student; teacher; doctor; agent; applicant; candidate',
  first_name: 'given name; forename',
  last_name: 'surname; family name',
  username: 'user name; handle; login',
  city: 'town',
  country: 'nation',
  state: 'province; region',
  date: 'created; updated; order date; due date; start date; end date; purchase date; hire date; delivery date; issue date; release date; expiry date',
  birth_date: 'date of birth; dob; birthday; birthdate',
  datetime: 'timestamp; created at; updated at; date time; occurred at; time stamp',
  time: 'start time; end time',
  gender: 'sex',
  uuid: 'guid; id; uid; identifier',
  status: 'state of account',
  priority: 'urgency; severity',
  category: 'product category; category name',
  product_description: 'item description',
  country_code: '',
  currency_code: '',
  blood_type: 'blood group',
  marital_status: '',
  clothing_size: 'shirt size',
  isbn: '',
  domain: 'domain name',
  user_agent: '',
  timezone: 'time zone',
  industry: 'sector',
  payment_method: 'payment type',
  price: 'cost; amount; total; fee; total amount; total price',
  employment_type: 'contract type',
});

function textOf(field: FieldSpec): Value | null {
  for (const name of tails(field.name)) {
    const more = MORE_NAMES.get(name);
    if (more !== undefined && name !== '') return MORE[more]!;
    const type = entityTypeOf(name);
    const slot = type === null ? undefined : SLOTS[SLOT_OF[type] ?? type];
    if (slot) return (memo) => slot(memo).text;
  }
  return null;
}

/** Slots whose names differ from their types. */
const SLOT_OF: Readonly<Record<string, string>> = {
  organization: 'org',
  ip_address: 'ip',
  mac_address: 'mac',
  file_path: 'path',
  number: 'count',
  identifier: 'customer_id',
  dosage: 'dose',
  medical_procedure: 'procedure',
  location: 'city',
  work_of_art: 'movie',
  person: 'person',
};

/** The whole name, and its rests word by word from the front: `customer_email` is an email. */
function tails(name: string): readonly string[] {
  const words = nameWords(name);
  const whole = words.map((_, from) => normalised(words.slice(from).join(' ')));
  const bare =
    words.length > 1 && /^(?:name|value|type|field)$/.test(words.at(-1)!)
      ? [normalised(words.slice(0, -1).join(' '))]
      : [];
  return [...whole.slice(0, 1), ...bare, ...whole.slice(1)];
}
