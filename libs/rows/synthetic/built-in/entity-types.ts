import { dictionary, nameWords, normalised } from './names.js';

/** The entity types that the built-in generator can write, with the names that people give them. */
const TYPES = {
  person:
    'name; person name; full name; people; human; individual; per; names; persons; personal name; human name; contact name; customer name; patient name; employee name',
  first_name: 'given name; forename; firstname',
  last_name: 'surname; family name; lastname',
  username: 'user name; handle; login; user id; account name; screen name; twitter handle; user handle',
  email: 'e mail; mail; email address; e mail address; mail address; contact email',
  phone:
    'phone number; telephone; telephone number; mobile; mobile number; cell phone; contact number; tel; mobile phone; cell number; phone no',
  job_title: 'job; occupation; profession; position; role; job role; job position; title of job; designation; job name',
  nationality: 'demonym; citizenship',
  language: 'language name; spoken language; lang',
  religion: 'faith',
  age: 'person age; patient age',
  city: 'town; city name; city or town; municipality',
  country: 'country name; nation',
  state: 'province; us state; state or province; state name',
  region: 'area; geographic region',
  landform: 'mountain or river; natural landmark; geographic feature; natural feature',
  location: 'loc; place; places; geo; gpe; geopolitical entity; location name; geographic location; place name',
  address:
    'street address; street; postal address; home address; mailing address; shipping address; delivery address; billing address',
  postal_code: 'zip; zip code; zipcode; postcode; post code; postal',
  facility: 'fac; building; venue; landmark; public building',
  hospital: 'clinic; hospital name; medical facility',
  company: 'company name; business; corporation; firm; corp; business name; employer; brand name; vendor; enterprise',
  organization:
    'org; organisation; organization name; organisation name; institution; institute; organization or company',
  airline: 'airline name; air carrier',
  bank: 'bank name; financial institution',
  university: 'school; college; university name; educational institution',
  restaurant: 'restaurant name; eatery',
  sports_team: 'team; sport team; team name; football club; club',
  department: 'dept; business unit; department name; division',
  date: 'day; calendar date; dates; date mention',
  weekday: 'day of week; day of the week; week day',
  month: 'month name',
  year: 'year date',
  time: 'time of day; clock time; hour',
  duration: 'time period; length of time; period; time span',
  money:
    'monetary value; amount of money; monetary amount; amount; monetary; money amount; sum of money; payment amount; total amount',
  price: 'cost; product price',
  salary: 'pay; wage; compensation',
  currency: 'currency name',
  percent: 'percentage; percentages; percent value; percentage value',
  number: 'cardinal; count; numeral',
  quantity: 'measurement; measure; measured quantity; unit of measurement',
  dosage: 'dose; drug dosage; medication dosage; strength',
  identifier: 'id; reference number; id number; reference; reference code; identification number',
  order_id: 'order number; order no; order; order reference; order code; order identifier',
  invoice_id: 'invoice number; invoice; invoice no; invoice reference',
  ticket_id: 'ticket number; ticket; case number; case id; ticket no; support ticket; incident number; incident id',
  tracking_number: 'tracking id; tracking code; shipment number; parcel number',
  account_number: 'account no; bank account; bank account number; account id; account',
  customer_id: 'customer number; client id; client number; member number; membership number; customer no',
  booking_reference:
    'booking number; booking id; reservation number; confirmation number; booking code; reservation id; pnr; confirmation code',
  policy_number: 'insurance number; policy no; insurance policy number; policy id',
  product_code: 'sku; item number; part number; serial number; model number; article number',
  ssn: 'social security number; national id; national id number',
  passport_number: 'passport; passport no; passport id',
  iban: 'international bank account number',
  bic: 'swift; swift code; bic code',
  credit_card: 'credit card number; card number; debit card number; payment card; credit card no',
  crypto_address: 'wallet address; crypto wallet; bitcoin address; wallet; ethereum address',
  license_plate:
    'licence plate; number plate; license plate number; plate number; vehicle registration; licence plate number',
  vin: 'vehicle identification number',
  flight_number: 'flight; flight no; flight code',
  version: 'version number; software version',
  error_code: 'error; error message code; status code',
  url: 'link; website; web address; website url; web site; hyperlink; uri; website address',
  ip_address: 'ip; ipv4; ip addr; ipaddress; ipv4 address',
  mac_address: 'mac',
  file_path: 'path; filepath; file; filename; file name',
  hashtag: 'hash tag',
  product: 'product name; item; goods; item name; merchandise; article',
  software:
    'app; application; program; software name; technology; tool; programming language; operating system; application name; software product',
  vehicle: 'car; car model; vehicle model; automobile; vehicle name; car make and model',
  game: 'video game; videogame; game title',
  food: 'dish; meal; food item; menu item; beverage; dish name',
  ingredient: 'cooking ingredient; food ingredient',
  cuisine: 'cuisine type; type of cuisine',
  animal: 'species; pet; animal name; animal species',
  color: 'colour; color name; colour name',
  sport: 'sport name; type of sport',
  event: 'event name; festival; sporting event; named event',
  award: 'prize; award name',
  movie: 'film; movie title; film title; motion picture; movie name',
  tv_show: 'tv series; television show; show; series; tv program; television series',
  book: 'book title; novel; book name',
  song: 'song title; track; song name; track name',
  album: 'album title; album name; record',
  artist: 'band; singer; musician; music artist; musical artist; artist name; band name',
  music_genre: 'genre; music style; musical genre',
  work_of_art: 'creative work; title of work; art work; artwork; work',
  disease: 'condition; illness; medical condition; diagnosis; disorder; disease name; health condition',
  drug: 'medication; medicine; drug name; pharmaceutical; medication name; prescription drug',
  symptom: 'sign or symptom; medical symptom; side effect',
  medical_procedure: 'procedure; treatment; surgery; operation; medical treatment',
  body_part: 'anatomy; anatomical location; body location; body site',
  chemical: 'chemical compound; substance; chemical substance; compound; chemical name',
  law: 'statute; regulation; legislation; act; law name; legal act',
  court: 'court name; tribunal',
} as const;

type EntityTypeName = keyof typeof TYPES;

const NAMES = dictionary(TYPES);

/** Every type, by its own name. */
export const ENTITY_TYPES = Object.keys(TYPES) as EntityTypeName[];

/** The type that a label names, by its name or a well-known other one; null for any other label. */
export function entityTypeOf(label: string): string | null {
  const known = NAMES.get(normalised(label)) ?? NAMES.get(nameWords(label).join(''));
  return known ?? null;
}

/** The type's name as a person would write it. */
export const spelled = (type: string): string => type.replaceAll('_', ' ');
