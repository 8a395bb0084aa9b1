import type { Random } from '../random.js';
import type { Coinage } from './coinage.js';
import { between, capitalised, chance, filled, pick, weighted } from './choice.js';
import * as codes from './identifier-expressions.js';
import { inventedBrand, inventedChemical, inventedDrug, inventedFamilyName, inventedPlace, inventedWord } from './invented-words.js';
import { readLexicon } from './lexicon-files.js';
import { localeLexicons } from './locale-lexicons.js';
import * as numbers from './number-expressions.js';
import * as times from './time-expressions.js';

/** Makes one text for a slot. */
export type Filler = (random: Random) => string;

/** What stands in a slot of a template: its texts, and the entity type they are labelled with (null: not an entity). */
export interface Slot {
  readonly type: string | null;
  readonly fill: Filler;
}

/** Word lists by name: the locale's and the project's own. */
export type Lexicons = ReturnType<typeof readLexicons>;

export function readLexicons() {
  const own = (name: string) => readLexicon(name);
  const locale = localeLexicons();
  return {
    locale,
    airline: own('airline'), album: own('album'), animal: own('animal'), artist: own('artist'), award: own('award'), book: own('book'),
    chemical: own('chemical'), city: own('city'), color: own('color'), company: own('company'), companySuffix: own('company-suffix'),
    companyWord: own('company-word'), country: own('country'), cuisine: own('cuisine'), currency: own('currency'),
    department: own('department'), disease: own('disease'), drug: own('drug'), event: own('event'), eventHead: own('event-head'),
    facility: own('facility'), facilityHead: own('facility-head'), field: own('field'), firstName: own('first_name'), food: own('food'),
    functionWords: own('function-words'), game: own('game'), goods: own('goods'), jobTitle: own('job_title'), landform: own('landform'),
    landformHead: own('landform-head'), language: own('language'), lastName: own('last_name'), movie: own('movie'),
    musicGenre: own('music_genre'), nationality: own('nationality'), nationalityPlural: own('nationality-plural'),
    organization: own('organization'), organizationHead: own('organization-head'), person: own('person'), product: own('product'),
    region: own('region'), religion: own('religion'), religionAdjective: own('religion-adjective'), restaurantHead: own('restaurant-head'),
    software: own('software'), song: own('song'), sport: own('sport'), sportsTeam: own('sports_team'), state: own('state'),
    teamWord: own('team-word'), tvShow: own('tv_show'), vehicle: own('vehicle'),
  }; // prettier-ignore
}

/** Builds the slots that templates may name. */
export function buildSlots(lexicons: Lexicons, coinage: Coinage): ReadonlyMap<string, Slot> {
  const { locale } = lexicons;
  const slots = new Map<string, Slot>();
  const entity = (name: string, fill: Filler, type = name) => slots.set(name, { type, fill });
  const known = (r: Random, className: string, list: readonly string[]) => coinage.pick(r, className, list);
  const word = (name: string, fill: Filler) => slots.set(name, { type: null, fill });

  const first: Filler = (r) => (chance(r, 0.04) ? inventedWord(r) : weighted<Filler>(r, [[5, () => known(r, 'first_name', locale.firstNames)], [3, () => known(r, 'first_name', lexicons.firstName)]])(r));
  const lastOne: Filler = (r) => weighted<Filler>(r, [[4, () => known(r, 'last_name', locale.lastNames)], [4, () => known(r, 'last_name', lexicons.lastName)], [3, () => inventedFamilyName(r)]])(r);
  const last: Filler = (r) => (chance(r, 0.03) ? `${lastOne(r)}-${lastOne(r)}` : lastOne(r));
  const initial: Filler = (r) => `${filled(r, '@')}.`;
  const fullName: Filler = (r) =>
    weighted<Filler>(r, [
      [30, () => `${first(r)} ${last(r)}`],
      [2, () => `${first(r)} ${initial(r)} ${last(r)}`],
      [1, () => `${initial(r)} ${last(r)}`],
      [1, () => `${initial(r)}${initial(r)} ${last(r)}`],
      [1, () => `${first(r)} ${first(r)} ${last(r)}`],
      [1, () => `${first(r)} ${pick(r, ['van', 'de', 'von', 'al', 'da', 'bin', 'van der', 'del', 'Mac', 'Abu', 'el'])} ${last(r)}`],
      [1, () => `${first(r)} ${last(r)} ${pick(r, ['Jr.', 'Jr', 'III', 'Sr.'])}`],
      [1, () => `${last(r)} ${first(r)}`],
      [5, () => known(r, 'famous_person', lexicons.person)],
      [1, () => pick(r, locale.authors)],
    ])(r);
  entity('first', first, 'person');
  entity('last', last, 'person');
  entity('person', (r) => weighted<Filler>(r, [[80, fullName], [9, first], [9, last]])(r));

  const usCity: Filler = (r) => known(r, 'small_city', locale.usCities);
  const city: Filler = (r) => weighted<Filler>(r, [[12, () => known(r, 'city', lexicons.city)], [2, () => usCity(r)], [3, () => known(r, 'small_city', locale.worldCities)], [3, () => inventedPlace(r)], [0.4, () => `${pick(r, ['New', 'East', 'West', 'North', 'South', 'San', 'Santa', 'St.', 'Port', 'Fort', 'El', 'La', 'Saint', 'Bad', 'Upper', 'Lake'])} ${inventedPlace(r)}`]])(r);
  const place: Filler = (r) => weighted<Filler>(r, [[6, city], [1, () => pick(r, lexicons.country)], [1, () => pick(r, locale.states)]])(r);
  entity('city', city);
  entity('country', (r) => weighted<Filler>(r, [[12, () => known(r, 'country', lexicons.country)], [1, () => pick(r, locale.formalCountries)]])(r));
  entity('state', (r) => weighted<Filler>(r, [[4, () => known(r, 'state', locale.states)], [3, () => known(r, 'state', lexicons.state)], [1, () => filled(r, pick(r, ['CA', 'NY', 'TX', 'FL', 'WA', 'MA', 'IL', 'OH', 'PA', 'GA', 'NC', 'NJ', 'VA', 'AZ', 'CO', 'OR', 'MI', 'NV', 'WI', 'MN', 'TN', 'NSW', 'BC', 'ON']))]])(r));
  entity('region', (r) => weighted<Filler>(r, [[10, () => known(r, 'region', lexicons.region)], [1, () => pick(r, locale.counties)], [1, () => `${pick(r, ['northern', 'southern', 'eastern', 'western', 'central', 'Northern', 'Upper', 'Greater'])} ${inventedPlace(r)}`], [1, () => `${inventedPlace(r)} ${pick(r, ['County', 'Province', 'Valley', 'District', 'region', 'Peninsula'])}`], [1, () => inventedPlace(r)]])(r));
  entity('landform', (r) => (chance(r, 0.65) ? known(r, 'landform', lexicons.landform) : shaped(r, pick(r, lexicons.landformHead), { '#': () => (chance(r, 0.5) ? inventedPlace(r) : last(r)) })));

  const street: Filler = (r) => weighted<Filler>(r, [
    [4, () => `${pick(r, [last, first, (q: Random) => pick(q, ['Main', 'High', 'Park', 'Church', 'Oak', 'Maple', 'Mill', 'Station', 'King', 'Queen', 'Market', 'Lake', 'Hill', 'Elm', 'Pine', 'Cedar', 'River', 'Sunset', 'Rose', 'Victoria', 'Broad', 'Spring', 'Union', 'Washington', 'Lincoln', 'North', 'Willow', 'Harbour', 'Bridge', 'School'])])(r)} ${pick(r, ['Street', 'Street', 'Street', 'St', 'St.', 'Avenue', 'Avenue', 'Ave', 'Ave.', 'Road', 'Road', 'Rd', 'Rd.', 'Lane', 'Drive', 'Dr', 'Boulevard', 'Blvd', 'Court', 'Place', 'Square', 'Way', 'Terrace', 'Close', 'Crescent', 'Highway', 'Row', 'Parkway', 'Gardens', 'Walk', ...locale.streetSuffixes.slice(0, 20)])}`],
    [1, () => pick(r, locale.streets)],
    [1, () => `${numbers.suffixed(between(r, 1, 120))} ${pick(r, ['Street', 'Avenue', 'St', 'Ave'])}`],
    [1, () => `${pick(r, [last, (q: Random) => inventedWord(q)])(r)}${pick(r, ['straße', 'strasse', 'str.', 'weg', 'gasse', 'platz', 'allee', 'gatan', 'straat', 'laan'])}`],
    [0.7, () => `${pick(r, ['Rue', 'Rue de', 'Avenue', 'Boulevard', 'Calle', 'Via', 'Avenida', 'Plaza', 'Piazza', 'rue de la', 'Rua', 'Paseo', 'Quai', 'ul.', 'Corso'])} ${pick(r, [last, (q: Random) => inventedWord(q), (q: Random) => inventedPlace(q)])(r)}`],
  ])(r);
  const house: Filler = (r) => weighted<Filler>(r, [[9, () => String(between(r, 1, chance(r, 0.6) ? 199 : 9999))], [1, () => `${between(r, 1, 99)}${pick(r, ['a', 'b', 'A', 'B', 'c'])}`]])(r);
  const unit: Filler = (r) => (chance(r, 0.12) ? pick(r, [', Apt. #', ', Apt ##', ' Suite ###', ', Suite ##', ', Floor #', ', Unit #', ' #']) : '');
  entity('street', street, 'address');
  entity('address', (r) => {
    const name = street(r);
    return /^(Rue|rue|Avenue |Boulevard |Calle|Via|Avenida|Plaza|Piazza|Rua|Paseo|Quai|ul|Corso)|(straße|strasse|str\.|weg|gasse|platz|allee|gatan|straat|laan)$/.test(name)
      ? `${name}${pick(r, [' ', ' ', ', '])}${house(r)}`
      : weighted<Filler>(r, [[12, () => `${house(r)} ${name}${filled(r, unit(r))}`], [1, () => name], [0.5, () => `P.O. Box ${between(r, 1, 9999)}`]])(r);
  });
  entity('postal_code', codes.postalCode);
  const saint: Filler = (r) => pick(r, ['Mary', 'John', 'Joseph', 'Peter', 'Paul', 'George', 'Thomas', 'Luke', 'Anna', 'Michael', 'James', 'Patrick', 'Francis', 'Catherine', 'Vincent', 'Jude', 'Elizabeth', 'Nicholas', 'Andrew', 'Mark']);
  entity('facility', (r) => weighted<Filler>(r, [
    [9, () => known(r, 'facility', lexicons.facility)],
    [8, () => shaped(r, pick(r, lexicons.facilityHead), { '#': () => weighted<Filler>(r, [[4, place], [3, last], [1, (q: Random) => pick(q, ['Central', 'Royal', 'Grand', 'National', 'Victoria', 'Riverside', 'Memorial', 'Olympic', 'Liberty', 'Sunset', 'City', 'Queen Elizabeth', 'Metropolitan', 'Plaza', 'Imperial', 'Lakeside', 'Northgate', 'Old', 'Crown'])]])(r), '~': () => saint(r), '%': () => pick(r, [String(between(r, 1, 40)), filled(r, '@'), filled(r, '###'), filled(r, '@#')]) })],
    [1, () => pick(r, locale.airports)],
  ])(r));

  entity('date', times.date);
  entity('year', times.year, 'date');
  entity('month', times.month, 'date');
  entity('weekday', times.weekday, 'date');
  entity('decade', times.decade, 'date');
  entity('relday', times.relativeDate, 'date');
  entity('monthyear', (r) => filled(r, pick(r, ['0#/2#', '1#/20##', '0#/20##'])), 'date');
  entity('time', times.time);
  entity('daypart', times.partOfDay, 'time');
  entity('duration', times.duration);
  entity('age', times.age);
  entity('age_bare', times.bareAge, 'age');
  entity('money', numbers.money);
  entity('currency', (r) => weighted<Filler>(r, [[6, () => known(r, 'currency', lexicons.currency)], [1, () => pick(r, locale.currencies)], [1, () => pick(r, locale.currencyCodes)]])(r));
  entity('percent', numbers.percent);
  entity('quantity', numbers.quantity);
  entity('temperature', numbers.temperature, 'quantity');
  entity('dose', numbers.dose, 'quantity');
  entity('measure', numbers.measure, 'quantity');
  entity('number', numbers.count);
  entity('num', numbers.smallDigits, 'number');
  entity('small', numbers.smallWord, 'number');
  entity('n', numbers.smallDigits, 'number');
  entity('decimal', numbers.decimal, 'number');
  word('digits4', codes.digits4);
  word('ordinal', numbers.ordinal);
  word('score', numbers.score);
  word('ticker', (r) => filled(r, pick(r, ['@@@', '@@@@', 'NASDAQ : @@@@', 'NYSE : @@', '@@@.@'])));
  word('timezone', (r) => pick(r, ['EST', 'CET', 'GMT', 'UTC', 'PST', 'local time']));
  word('field_lower', (r) => pick(r, ['law', 'medicine', 'physics', 'history', 'economics', 'computer science', 'biology', 'mathematics', 'philosophy', 'music', 'engineering', 'psychology']));

  const business: Filler = (r) => weighted<Filler>(r, [
    [5, () => `${inventedBrand(r)}${chance(r, 0.4) ? ` ${pick(r, lexicons.companyWord)}` : ''}${chance(r, 0.4) ? ` ${pick(r, lexicons.companySuffix)}` : ''}`],
    [3, () => `${last(r)} ${pick(r, lexicons.companySuffix)}`],
    [2, () => `${last(r)} ${pick(r, lexicons.companyWord)}${chance(r, 0.4) ? ` ${pick(r, lexicons.companySuffix)}` : ''}`],
    [1, () => `${last(r)} ${pick(r, ['&', 'and', '&'])} ${last(r)}${chance(r, 0.4) ? ` ${pick(r, lexicons.companySuffix)}` : ''}`],
    [0.5, () => `${last(r)}, ${last(r)} and ${last(r)}`],
    [2, () => `${place(r)} ${pick(r, lexicons.companyWord)}${chance(r, 0.5) ? ` ${pick(r, lexicons.companySuffix)}` : ''}`],
    [1, () => `${capitalised(pick(r, locale.adjectives))} ${pick(r, lexicons.companyWord)}`],
    [2, () => `${capitalised(pick(r, locale.nouns))} ${pick(r, lexicons.companyWord)}${chance(r, 0.3) ? ` ${pick(r, lexicons.companySuffix)}` : ''}`],
    [1, () => `${pick(r, ['Blue', 'Green', 'Red', 'Silver', 'North', 'West', 'First', 'United', 'Global', 'American', 'Royal', 'Summit', 'Pacific', 'Atlantic', 'Northern', 'Golden', 'Bright', 'Iron', 'New', 'Bank of', 'General', 'National'])} ${capitalised(pick(r, locale.nouns))}${chance(r, 0.5) ? ` ${pick(r, lexicons.companySuffix)}` : ''}`],
  ])(r);
  const restaurant: Filler = (r) => weighted<Filler>(r, [
    [3, () => `${chance(r, 0.2) ? 'The ' : ''}${pick(r, [first, last, place])(r)}'s ${pick(r, lexicons.restaurantHead)}`],
    [2, () => `${pick(r, [first, last])(r)}'s`],
    [2, () => `The ${capitalised(pick(r, locale.adjectives))} ${capitalised(pick(r, [locale.nouns, lexicons.animal])[between(r, 0, 40)]!)}`],
    [2, () => `${pick(r, ['Café', 'Cafe', 'Trattoria', 'Casa', 'Chez', 'La', 'Le', 'El', 'Ristorante', 'Osteria', 'Gasthaus', 'Bar', 'Pizzeria'])} ${pick(r, [first, last, (q: Random) => inventedWord(q)])(r)}`],
    [2, () => `${capitalised(pick(r, [...lexicons.color.slice(0, 12), 'golden', 'happy', 'little', 'old', 'lucky', 'royal']))} ${pick(r, ['Dragon', 'Lotus', 'Lion', 'Garden', 'Palace', 'Olive', 'Lantern', 'Elephant', 'Panda', 'Bull', 'Horse', 'Door', 'Bamboo', 'Pearl', 'Rooster', 'Spoon'])}${chance(r, 0.3) ? ` ${pick(r, lexicons.restaurantHead)}` : ''}`],
    [2, () => `${place(r)} ${pick(r, lexicons.restaurantHead)}`],
    [1, () => pick(r, ["McDonald's", 'Starbucks', 'KFC', 'Burger King', 'Subway', 'Chipotle', "Domino's", 'Pizza Hut', 'Taco Bell', "Wendy's", 'Panera', "Nando's", 'Olive Garden', 'Applebee\'s', 'IHOP', "Denny's", 'Five Guys', 'Shake Shack'])],
  ])(r);
  entity('company', (r) => weighted<Filler>(r, [[10, () => known(r, 'company', lexicons.company)], [10, business], [1, restaurant], [0.5, (q: Random) => pick(q, locale.publishers)]])(r));
  entity('restaurant', restaurant, 'company');
  const team: Filler = (r) => weighted<Filler>(r, [[7, () => known(r, 'sports_team', lexicons.sportsTeam)], [3, () => `${city(r)} ${pick(r, lexicons.teamWord)}`], [1, () => `${pick(r, ['FC', 'AC', 'SC', 'CF', 'Real', 'Dynamo', 'Sporting', 'Athletic', 'VfL', 'SV', 'AS', 'Lokomotiv', 'Racing'])} ${city(r)}`], [0.7, () => city(r)]])(r);
  entity('sports_team', team);
  entity('team', team, 'sports_team');
  entity('organization', (r) => weighted<Filler>(r, [
    [9, () => known(r, 'organization', lexicons.organization)],
    [8, () => shaped(r, pick(r, lexicons.organizationHead), { '#': () => place(r), '@': () => last(r), '~': () => pick(r, lexicons.field) })],
    [0.6, () => filled(r, pick(r, ['@@@', '@@@@', '@@@']))],
  ])(r));
  entity('airline', (r) => weighted<Filler>(r, [[5, () => known(r, 'airline', lexicons.airline)], [2, () => pick(r, locale.airlines)], [1, () => `${chance(r, 0.5) ? inventedBrand(r) : pick(r, lexicons.country)} ${pick(r, ['Airlines', 'Airways', 'Air', 'Air Lines'])}`]])(r));
  entity('job_title', (r) => weighted<Filler>(r, [[12, () => known(r, 'job_title', lexicons.jobTitle)], [1, () => `${pick(r, locale.jobDescriptors)} ${pick(r, locale.jobAreas)} ${pick(r, locale.jobTypes)}`], [1, () => `${pick(r, ['senior', 'junior', 'lead', 'assistant', 'chief', 'deputy', 'Senior', 'Head of', 'head of', 'Director of', 'VP of', 'vice president of'])} ${pick(r, [...lexicons.department, ...lexicons.jobTitle])}`], [1, () => lexicons.jobTitle[r.below(lexicons.jobTitle.length)]!.replace(/(^| )[a-z]/g, (m) => m.toUpperCase())]])(r));
  entity('department', (r) => weighted<Filler>(r, [[4, () => known(r, 'department', lexicons.department)], [2, () => `${known(r, 'department', lexicons.department)} department`], [1, () => capitalised(pick(r, lexicons.department))], [1, () => `${capitalised(pick(r, lexicons.department))} ${pick(r, ['Department', 'Division', 'Team'])}`]])(r));
  entity('nationality', (r) => (chance(r, 0.4) ? known(r, 'nationality', lexicons.nationality.slice(0, 195)) : pick(r, lexicons.nationality.slice(0, 195))));
  entity('people', (r) => pick(r, lexicons.nationalityPlural), 'nationality');
  entity('religion', (r) => known(r, 'religion', lexicons.religion));
  entity('religious', (r) => known(r, 'religion', lexicons.religionAdjective), 'religion');
  entity('religion_any', (r) => pick(r, [...lexicons.religion, ...lexicons.religionAdjective]), 'religion');
  entity('language', (r) => weighted<Filler>(r, [[9, () => known(r, 'language', lexicons.language)], [1, () => pick(r, locale.languages)]])(r));

  const model: Filler = (r) => filled(r, pick(r, ['@#', '@##', '@@-###', '@###', '##', '###', '@@##', 'Pro', 'Mini', 'Max', 'Plus', 'Ultra', 'One', 'Lite', 'Air', '#', '# Pro', '#00', 'X#', 'Mark II', 'Go', '###0', 'SE', 'Pro ##']));
  const goods: Filler = (r) => known(r, 'goods', lexicons.goods);
  entity('good', goods, 'product');
  entity('product', (r) => weighted<Filler>(r, [
    [8, () => known(r, 'product', lexicons.product)],
    [3, () => `${inventedBrand(r)} ${model(r)}`],
    [3, () => `${chance(r, 0.6) ? pick(r, lexicons.company.slice(0, 60)) : inventedBrand(r)} ${pick(r, [...lexicons.goods.slice(0, 60), inventedWord(r), model(r)])}`],
    [3, goods],
    [1, () => `${capitalised(pick(r, lexicons.goods))}`],
    [1, () => `${pick(r, locale.productAdjectives)} ${pick(r, locale.productMaterials)} ${pick(r, locale.productNouns)}`],
    [1, () => `${pick(r, ['wireless', 'leather', 'electric', 'bluetooth', 'noise-cancelling', 'stainless steel', 'gaming', 'running', 'winter', 'second-hand', 'portable', 'ceramic', 'wooden', 'cotton'])} ${goods(r)}`],
  ])(r));
  entity('software', (r) => weighted<Filler>(r, [[12, () => known(r, 'software', lexicons.software)], [2, () => inventedBrand(r)], [1, () => pick(r, locale.appNames)], [1, () => `${inventedBrand(r)}${pick(r, ['.js', 'DB', ' Studio', ' Cloud', ' Server', 'OS', ' Pro', 'SQL', ' CLI', ' CRM', ' API', ' Desktop'])}`]])(r));

  const adjective: Filler = (r) => pick(r, locale.adjectives);
  const noun: Filler = (r) => pick(r, locale.nouns);
  const nouns: Filler = (r) => plural(noun(r));
  const title: Filler = (r) => weighted<Filler>(r, [
    [3, () => `The ${capitalised(adjective(r))} ${capitalised(noun(r))}`],
    [3, () => `The ${capitalised(noun(r))}`],
    [2, () => `${capitalised(noun(r))} of ${capitalised(pick(r, [noun, nouns])(r))}`],
    [2, () => `The ${capitalised(noun(r))} of ${pick(r, [place, first, (q: Random) => capitalised(noun(q))])(r)}`],
    [2, () => `${capitalised(adjective(r))} ${capitalised(pick(r, [noun, nouns])(r))}`],
    [2, () => capitalised(noun(r))],
    [1, () => `${first(r)} and the ${capitalised(noun(r))}`],
    [1, () => `A ${capitalised(noun(r))} in ${place(r)}`],
    [1, () => `${capitalised(pick(r, locale.verbs))} ${pick(r, ['Me', 'It', 'the', 'Your', 'My', 'With', 'Away'])} ${capitalised(noun(r))}`],
    [1, () => `${first(r)}'s ${capitalised(noun(r))}`],
    [1, () => `${capitalised(noun(r))} ${between(r, 2, 9)}`],
    [1, () => `How to ${capitalised(pick(r, locale.verbs))} a ${capitalised(noun(r))}`],
    [1, () => `${capitalised(noun(r))} and ${capitalised(noun(r))}`],
    [1, () => `Where the ${capitalised(nouns(r))} ${capitalised(pick(r, locale.verbs))}`],
  ])(r);
  const work = (name: string, own: readonly string[], more: readonly string[], share: number) =>
    entity(name, (r) => weighted<Filler>(r, [[6, () => known(r, name, own)], [more.length > 0 ? 2 : 0, () => known(r, name, more)], [share, () => title(r)]])(r));
  work('song', lexicons.song, locale.songs, 4);
  work('album', lexicons.album, locale.albums, 4);
  work('book', lexicons.book, locale.books, 4);
  work('movie', lexicons.movie, [], 3);
  work('tv_show', lexicons.tvShow, [], 2);
  work('game', lexicons.game, [], 1.5);
  entity('artist', (r) => weighted<Filler>(r, [[7, () => known(r, 'artist', lexicons.artist)], [3, () => known(r, 'artist', locale.artists)], [2, () => `${first(r)} ${last(r)}`], [1, () => `The ${capitalised(nouns(r))}`], [1, () => `${chance(r, 0.3) ? 'The ' : ''}${capitalised(adjective(r))} ${capitalised(nouns(r))}`], [1, () => inventedWord(r)], [0.4, () => `${pick(r, ['DJ', 'Lil', 'MC', 'Young'])} ${inventedWord(r)}`]])(r));
  entity('music_genre', (r) => weighted<Filler>(r, [[6, () => known(r, 'music_genre', lexicons.musicGenre)], [1, () => pick(r, locale.musicGenres)], [1, () => pick(r, locale.musicGenres).toLowerCase()]])(r));
  entity('event', (r) => weighted<Filler>(r, [
    [8, () => known(r, 'event', lexicons.event)],
    [3, () => `${chance(r, 0.25) ? `${times.year(r)} ` : ''}${shaped(r, pick(r, lexicons.eventHead), { '~1': () => first(r), '#': () => place(r), '@': () => last(r), '~': () => pick(r, lexicons.field), '^': () => capitalised(pick(r, lexicons.sport)) })}`],
    [1, () => `${between(r, 1980, 2030)} ${pick(r, lexicons.event.slice(0, 80)).replace(/^the /i, '')}`],
  ])(r));
  entity('award', (r) => weighted<Filler>(r, [[6, () => known(r, 'award', lexicons.award)], [1, () => `${last(r)} ${pick(r, ['Prize', 'Award', 'Medal', 'Trophy'])}`], [1, () => `${pick(r, ['Best', 'National', 'International', 'Young', 'Golden'])} ${capitalised(noun(r))} ${pick(r, ['Award', 'Prize', 'of the Year'])}`]])(r));
  entity('sport', (r) => known(r, 'sport', lexicons.sport));
  entity('food', (r) => weighted<Filler>(r, [[10, () => known(r, 'food', lexicons.food)], [2, () => pick(r, locale.ingredients)], [1, () => pick(r, locale.dishes)], [1, () => `${pick(r, ['fresh', 'grilled', 'fried', 'baked', 'roasted', 'spicy', 'frozen', 'organic', 'smoked', 'dried', 'vegan', 'homemade'])} ${pick(r, lexicons.food)}`]])(r));
  entity('cuisine', (r) => weighted<Filler>(r, [[6, () => known(r, 'cuisine', lexicons.cuisine)], [1, () => pick(r, locale.cuisines)], [1, () => pick(r, lexicons.cuisine).toLowerCase()]])(r));
  entity('animal', (r) => weighted<Filler>(r, [[10, () => known(r, 'animal', lexicons.animal)], [1, () => pick(r, locale.species)], [1, () => pick(r, locale.species).toLowerCase()]])(r));
  entity('color', (r) => weighted<Filler>(r, [[8, () => known(r, 'color', lexicons.color)], [1, () => pick(r, locale.colors)]])(r));
  entity('vehicle', (r) => weighted<Filler>(r, [[8, () => known(r, 'vehicle', lexicons.vehicle)], [2, () => `${pick(r, locale.manufacturers)} ${pick(r, locale.vehicleModels)}`], [1, () => pick(r, locale.airplanes)], [1, () => `${pick(r, locale.manufacturers)} ${model(r)}`], [1, () => `${times.year(r)} ${pick(r, lexicons.vehicle)}`]])(r));
  entity('chemical', (r) => weighted<Filler>(r, [[8, () => known(r, 'chemical', lexicons.chemical)], [1, () => pick(r, locale.elements)], [1, () => inventedChemical(r)]])(r));
  entity('drug', (r) => weighted<Filler>(r, [[6, () => known(r, 'drug', lexicons.drug)], [2, () => inventedDrug(r)]])(r));
  entity('disease', (r) => weighted<Filler>(r, [[9, () => known(r, 'disease', lexicons.disease)], [1, () => `${pick(r, ['acute', 'chronic', 'severe', 'mild', 'early-stage'])} ${pick(r, lexicons.disease)}`], [0.7, () => `${last(r)} ${pick(r, ['syndrome', 'disease', "'s disease"])}`.replace(" '", "'")], [0.5, () => `${inventedWord(r).toLowerCase()}${pick(r, ['itis', 'osis', 'emia', 'oma', 'pathy', ' fever', ' infection'])}`]])(r));

  const person = { first, last };
  entity('email', (r) => codes.email(r, person.first(r), person.last(r)));
  entity('phone', codes.phone);
  entity('url', codes.url);
  entity('ip_address', codes.ipAddress);
  entity('file_path', (r) => codes.filePath(r, locale.fileExtensions));
  entity('identifier', codes.identifier);
  entity('iban', codes.iban);
  entity('credit_card', codes.creditCard);
  entity('crypto_address', codes.cryptoAddress);
  entity('flight_number', codes.flightNumber);
  entity('license_plate', codes.licensePlate);
  entity('version', codes.version);
  entity('username', (r) => `${chance(r, 0.75) ? '@' : ''}${codes.handle(r, person.first(r), person.last(r))}`);
  const tags = [...lexicons.city, ...lexicons.sportsTeam, ...lexicons.tvShow, ...locale.nouns.slice(0, 300), ...lexicons.company];
  entity('hashtag', (r) => codes.hashtag(r, tags));

  word('noun', noun);
  word('nouns', nouns);
  word('verb', (r) => pick(r, locale.verbs));
  word('adj', adjective);
  word('adv', (r) => pick(r, locale.adverbs));
  return slots;
}

/** Regular plural of an English noun. */
export function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Replaces the marks of a name pattern. */
function shaped(random: Random, pattern: string, marks: Readonly<Record<string, () => string>>): string {
  const expression = new RegExp(Object.keys(marks).map((mark) => mark.replace(/[\^]/, String.raw`\^`)).join('|'), 'g');
  return pattern.replace(expression, (mark) => marks[mark]!());
}
