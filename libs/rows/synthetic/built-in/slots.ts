import { items } from '../templates/template.js';
import { between, chance, faker, pick } from './draw.js';
import type { Piece } from './grammar.js';
import * as numbers from './values/numbers.js';
import { emailOf, handleOf, jobTitle, phone, worldly, type Person } from './values/people.js';
import {
  anotherPlace,
  COUNTRIES,
  place,
  placeWithState,
  postalCode,
  streetAddress,
  type Place,
} from './values/places.js';
import * as things from './values/things.js';
import * as times from './values/times.js';

/** Facts that a text has mentioned so far; later slots agree with them. */
export interface Memo {
  person: Person | null;
  place: Place | null;
  day: times.Day | null;
  /** Fillings of numbered slots such as `{city1}`. */
  readonly numbered: Map<string, Piece>;
  readonly said: Set<string>;
}

export const newMemo = (): Memo => ({ person: null, place: null, day: null, numbered: new Map(), said: new Set() });

type Slot = (memo: Memo) => Piece;

const of =
  (fill: (memo: Memo) => string, ...types: string[]): Slot =>
  (memo) => ({ text: fill(memo), types });

const listed = (name: string, ...types: string[]): Slot => of(() => things.listed(name), ...types);
const one = (items: readonly string[], ...types: string[]): Slot => of(() => pick(items), ...types);

/** Names of both in one stretch: a request for a person gets the whole, one for first names the first part. */
const fullName: Slot = (memo) => {
  const { first, last } = (memo.person = worldly());
  return {
    text: `${first} ${last}`,
    types: ['person'],
    parts: [
      { text: first, types: ['first_name'] },
      { text: ' ', types: [] },
      { text: last, types: ['last_name'] },
    ],
  };
};

const cityHere = (memo: Memo): Place => (memo.place = anotherPlace(memo.place));
const here = (memo: Memo): Place => (memo.place ??= place());
const hereWithState = (memo: Memo): Place => (memo.place?.state ? memo.place : (memo.place = placeWithState()));
const dayHere = (memo: Memo): times.Day => (memo.day = times.day());

/** Every slot that templates may name: its values, and its labels, from the narrowest to the widest. */
export const SLOTS: Readonly<Record<string, Slot>> = {
  person: fullName,
  first: of((memo) => (memo.person = worldly()).first, 'first_name', 'person'),
  first_again: of((memo) => (memo.person ??= worldly()).first, 'first_name', 'person'),
  last_again: of((memo) => (memo.person ??= worldly()).last, 'last_name', 'person'),
  email: of((memo) => emailOf((memo.person ??= worldly())), 'email'),
  username: of(() => handleOf(worldly()), 'username'),
  phone: of(phone, 'phone'),
  job_title: of(jobTitle, 'job_title'),
  executive: one(
    items(
      'spokesperson;spokeswoman;chief executive;CEO;CFO;chief financial officer;chief economist;chair;director;managing director;head of communications;president;vice president;chief operating officer;general counsel',
    ),
    'job_title',
  ),
  nationality: one(things.NATIONALITIES, 'nationality'),
  language: of(() => things.listed('language', /^[A-Z]\w+$/), 'language'),
  religion: one(things.RELIGIONS, 'religion'),
  age: of(times.age, 'age'),
  age_old: of(() => `${between(5, 92)}-year-old`, 'age'),
  adult_old: of(() => `${between(19, 89)}-year-old`, 'age'),
  age_number: of(() => String(between(18, 88)), 'age'),
  city: of((memo) => cityHere(memo).city, 'city', 'location'),
  country: of((memo) => (memo.place = anotherPlace(memo.place, true)).country, 'country', 'location'),
  any_country: of(() => pick(COUNTRIES), 'country', 'location'),
  country_here: of((memo) => here(memo).country, 'country', 'location'),
  us_city: of((memo) => (memo.place = placeWithState()).city, 'city', 'location'),
  state: of((memo) => (memo.place = placeWithState()).state!, 'state', 'location'),
  state_here: of((memo) => hereWithState(memo).state!, 'state', 'location'),
  region: one(
    items(
      'Western Europe;Southeast Asia;the Midwest;Scandinavia;the Middle East;Latin America;East Africa;Central Asia;the Balkans;Northern Italy;Bavaria;Tuscany;Andalusia;Catalonia;Patagonia;Provence',
    ).map((name) => name.replace(/^the /, '')),
    'region',
    'location',
  ),
  landform: of(
    () =>
      things.listed(
        'landform',
        /^(?:Mount |Lake |Ben |Loch |Mont |K2|Everest|Kilimanjaro|Vesuvius|Denali|Snowdon|Table Mountain|Loch)/,
      ),
    'landform',
    'location',
  ),
  address: of((memo) => streetAddress(here(memo)), 'address', 'location'),
  postal_code: of((memo) => postalCode(here(memo)), 'postal_code'),
  facility: of(things.facility, 'facility', 'location'),
  hospital: of(things.hospital, 'hospital', 'facility', 'organization', 'location'),
  company: of(things.company, 'company', 'organization'),
  airline: listed('airline', 'airline', 'company', 'organization'),
  bank: one(
    items(
      'Barclays;HSBC;Chase;Wells Fargo;Bank of America;Deutsche Bank;Santander;BNP Paribas;ING;UBS;Citibank;Lloyds Bank;Revolut;Nordea',
    ),
    'bank',
    'company',
    'organization',
  ),
  org: of(things.publicBody, 'organization'),
  university: of(things.university, 'university', 'organization'),
  restaurant: of(things.restaurant, 'restaurant', 'company', 'organization'),
  sports_team: of(() => things.listed('sports_team', /^[A-Z].* /), 'sports_team', 'organization'),
  department: one(things.DEPARTMENTS, 'department'),
  date: of((memo) => times.dayText(dayHere(memo)), 'date'),
  later_date: of((memo) => times.dayText(times.daysLater(memo.day ?? dayHere(memo), between(2, 40))), 'date'),
  iso_date: of((memo) => times.isoDay(dayHere(memo)), 'date'),
  weekday: of(times.weekday, 'weekday', 'date'),
  month: of(times.monthName, 'month', 'date'),
  month_year: of(times.monthOfYear, 'date'),
  year: of(times.year, 'year', 'date'),
  relative_day: of(times.relativeDay, 'date'),
  time: of(times.time, 'time'),
  duration: of(times.duration, 'duration'),
  wait: of(times.wait, 'duration'),
  years: of(times.years, 'duration'),
  price: of(numbers.price, 'price', 'money'),
  small_price: of(numbers.smallPrice, 'price', 'money'),
  rent: of(numbers.monthlyRent, 'price', 'money'),
  money: of(numbers.largeAmount, 'money'),
  salary: of(numbers.salary, 'salary', 'money'),
  currency: one(things.CURRENCIES, 'currency'),
  percent: of(numbers.percent, 'percent'),
  count: of(numbers.count, 'number'),
  small: of(numbers.small, 'number'),
  quantity: of(numbers.quantity, 'quantity'),
  distance: of(numbers.distance, 'quantity'),
  weight: of(numbers.weight, 'quantity'),
  measure: of(numbers.kitchenMeasure, 'quantity'),
  temperature: of(numbers.temperature, 'quantity'),
  storage: of(numbers.storage, 'quantity'),
  area: of(numbers.area, 'quantity'),
  substance: of(numbers.substance, 'quantity'),
  size: of(numbers.size, 'quantity'),
  dose: of(numbers.dose, 'dosage', 'quantity'),
  order_id: of(numbers.orderId, 'order_id', 'identifier'),
  invoice_id: of(numbers.invoiceId, 'invoice_id', 'identifier'),
  ticket_id: of(numbers.ticketId, 'ticket_id', 'identifier'),
  tracking_number: of(numbers.trackingNumber, 'tracking_number', 'identifier'),
  account_number: of(numbers.accountNumber, 'account_number', 'identifier'),
  customer_id: of(numbers.customerId, 'customer_id', 'identifier'),
  booking_reference: of(numbers.bookingReference, 'booking_reference', 'identifier'),
  policy_number: of(numbers.policyNumber, 'policy_number', 'identifier'),
  product_code: of(numbers.productCode, 'product_code', 'identifier'),
  ssn: of(numbers.ssn, 'ssn', 'identifier'),
  passport_number: of(numbers.passportNumber, 'passport_number', 'identifier'),
  iban: of(() => faker.finance.iban(), 'iban'),
  credit_card: of(() => faker.finance.creditCardNumber({ issuer: pick(['visa', 'mastercard']) }), 'credit_card'),
  bic: of(() => faker.finance.bic(), 'bic'),
  crypto_address: of(
    () => (chance(0.5) ? faker.finance.bitcoinAddress() : faker.finance.ethereumAddress()),
    'crypto_address',
  ),
  license_plate: of(numbers.licensePlate, 'license_plate'),
  vin: of(() => faker.vehicle.vin(), 'vin', 'identifier'),
  flight_number: of(numbers.flightNumber, 'flight_number'),
  version: of(numbers.version, 'version'),
  error_code: of(numbers.errorCode, 'error_code'),
  url: of(things.url, 'url'),
  ip: of(things.ip, 'ip_address'),
  mac: of(things.mac, 'mac_address'),
  path: of(things.path, 'file_path'),
  hashtag: of(things.hashtag, 'hashtag'),
  product: of(things.product, 'product'),
  goods: of(things.goods, 'product'),
  device: one(things.DEVICES, 'product'),
  belonging: one(things.BELONGINGS, 'product'),
  software: of(() => things.listed('software', /^[A-Z][\w.+#]*(?: [A-Z0-9][\w.]*)*$/), 'software', 'product'),
  vehicle: listed('vehicle', 'vehicle', 'product'),
  game: listed('game', 'game', 'work_of_art', 'product'),
  food: one(things.FOODS, 'food'),
  ingredient: one(things.INGREDIENTS, 'ingredient', 'food'),
  cuisine: one(things.CUISINES, 'cuisine'),
  animal: one(things.ANIMALS, 'animal'),
  color: one(things.COLORS, 'color'),
  sport: one(things.SPORTS, 'sport'),
  event: one(things.EVENTS, 'event'),
  sports_event: one(things.SPORTS_EVENTS, 'event'),
  award: of(() => things.listed('award', /^(?!the )[A-Z].* [A-Z]/), 'award'),
  movie: of(() => things.listed('movie', /^.{5,}$/), 'movie', 'work_of_art'),
  tv_show: of(() => things.listed('tv_show', /^.{5,}$/), 'tv_show', 'work_of_art'),
  book: of(() => things.listed('book', /^.{6,}$/), 'book', 'work_of_art'),
  song: of(() => things.listed('song', /^.{6,}$/), 'song', 'work_of_art'),
  album: of(() => things.listed('album', /^.{6,}$/), 'album', 'work_of_art'),
  artist: of(() => things.listed('artist', /^[A-Z]/), 'artist'),
  music_genre: one(
    items(
      'jazz;blues;rock;indie rock;hip hop;techno;classical music;reggae;soul;country music;heavy metal;folk;R&B;bossa nova;drum and bass;punk',
    ),
    'music_genre',
  ),
  disease: of(() => things.listed('disease', /^(?!the |a |an )(?=.{5,})/i), 'disease'),
  drug: of(
    () =>
      things.listed(
        'drug',
        /^(?!.*(?:cocaine|heroin|marijuana|cannabis|LSD|meth|fentanyl|ecstasy|MDMA|opium|crack|weed|ketamine|steroid|vaccine|pill|nicotine|caffeine|alcohol))/i,
      ),
    'drug',
  ),
  symptom: one(things.SYMPTOMS, 'symptom'),
  procedure: one(things.PROCEDURES, 'medical_procedure'),
  body_part: one(things.BODY_PARTS, 'body_part'),
  chemical: of(() => things.listed('chemical', /^[a-z][a-z ]{3,}$/), 'chemical'),
  law: one(things.LAWS, 'law'),
  court: one(things.COURTS, 'court', 'organization'),
};
