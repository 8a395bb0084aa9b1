import { readFileSync } from 'node:fs';
import type { Random } from '#gpu-runner/engines/builtin/random.js';
import { between, chance } from './choice.js';
import type { Coinage } from './coinage.js';
import * as codes from './identifier-expressions.js';
import * as invented from './invented-words.js';
import { parseNameGrammar, type Filler, type Slot } from './name-grammar.js';
import * as numbers from './number-expressions.js';
import * as times from './time-expressions.js';
import type { WordLists } from './word-lists.js';

/** Builds the slots that templates may name: those of `names.txt` and the expressions. */
export function buildSlots(lists: WordLists, coinage: Coinage): ReadonlyMap<string, Slot> {
  const name = (random: Random, listName: string) => lists.get(listName)[random.below(lists.get(listName).length)]!;
  const first: Filler = (random) => name(random, chance(random, 0.5) ? 'first_name' : 'locale.firstNames');
  const last: Filler = (random) => name(random, chance(random, 0.5) ? 'last_name' : 'locale.lastNames');
  const grammar = readFileSync(new URL('./names.txt', import.meta.url), 'utf8');
  const slots = parseNameGrammar(grammar, {
    lists,
    coinage,
    expressions: {
      invented_word: invented.inventedWord,
      invented_place: invented.inventedPlace,
      invented_family: invented.inventedFamilyName,
      invented_brand: invented.inventedBrand,
      invented_chemical: invented.inventedChemical,
      invented_drug: invented.inventedDrug,
      house_number: (random) => String(between(random, 1, chance(random, 0.6) ? 199 : 9999)),
      ordinal_number: (random) => numbers.suffixed(between(random, 1, 120)),
      handle: (random) => codes.handle(random, first(random), last(random)),
      year: times.year,
    },
  });
  const tags = ['city', 'sports_team', 'tv_show', 'company', 'locale.nouns'].flatMap((list) =>
    lists.get(list).slice(0, 500),
  );
  const entities: Readonly<Record<string, readonly [type: string | null, fill: Filler]>> = {
    date: ['date', times.date],
    year: ['date', times.year],
    month: ['date', times.month],
    weekday: ['date', times.weekday],
    decade: ['date', times.decade],
    relday: ['date', times.relativeDate],
    time: ['time', times.time],
    reltime: ['time', times.relativeTime],
    daypart: ['time', times.partOfDay],
    duration: ['duration', times.duration],
    age: ['age', times.age],
    age_bare: ['age', times.bareAge],
    money: ['money', numbers.money],
    percent: ['percent', numbers.percent],
    quantity: ['quantity', numbers.quantity],
    temperature: ['quantity', numbers.temperature],
    dose: ['quantity', numbers.dose],
    measure: ['quantity', numbers.measure],
    number: ['number', numbers.count],
    num: ['number', numbers.smallDigits],
    small: ['number', numbers.smallWord],
    n: ['number', numbers.smallDigits],
    decimal: ['number', numbers.decimal],
    ordinal: [null, numbers.ordinal],
    score: [null, numbers.score],
    digits4: [null, codes.digits4],
    email: ['email', (random) => codes.email(random, first(random), last(random))],
    phone: ['phone', codes.phone],
    url: ['url', codes.url],
    ip_address: ['ip_address', codes.ipAddress],
    file_path: ['file_path', (random) => codes.filePath(random, lists.locale.fileExtensions)],
    identifier: ['identifier', codes.identifier],
    iban: ['iban', codes.iban],
    credit_card: ['credit_card', codes.creditCard],
    crypto_address: ['crypto_address', codes.cryptoAddress],
    flight_number: ['flight_number', codes.flightNumber],
    license_plate: ['license_plate', codes.licensePlate],
    postal_code: ['postal_code', codes.postalCode],
    version: ['version', codes.version],
    hashtag: ['hashtag', (random) => codes.hashtag(random, tags)],
  };
  for (const [slot, [type, fill]] of Object.entries(entities)) slots.set(slot, { type, fill });
  return slots;
}
