import { Random } from '#gpu-runner/engines/builtin/random.js';
import type { Lexicon } from '#gpu-runner/engines/builtin/features/gazetteer.js';
import type { Coinage } from './coinage.js';
import { plural } from './name-grammar.js';
import { months, weekdays } from './time-expressions.js';
import type { WordLists } from './word-lists.js';

/**
 * The word lists as classes of the gazetteer. Phrases made of everyday words alone ("Happy", "Speed", "Target") count only
 * where the text writes them with a capital.
 * @param coinage whose phrases are added, in a gazetteer for training
 * @param heldOut share of the phrases of open classes that is left out, so that training also sees names the lists lack
 */
export function gazetteerLexicons(lists: WordLists, heldOut: number, seed: number, coinage?: Coinage): Lexicon[] {
  const { locale } = lists;
  const common = new Set([...commonWords(lists)]);
  const random = new Random(seed);
  const result: Lexicon[] = [];
  const add = (name: string, phrases: readonly string[], dropped: number) => {
    // Spans leave a small article out ("the [Super Bowl]"), so phrases must too.
    const bare = phrases.map((phrase) => phrase.replace(/^the /, ''));
    const kept = [...new Set(bare)].filter(() => random.next() >= dropped);
    const plain = [
      ...kept.filter((phrase) => !isCommon(phrase, common) && !isShortTitle(name, phrase)),
      ...(coinage?.phrases(name) ?? []),
    ];
    const guarded = kept.filter((phrase) => isCommon(phrase, common) || isShortTitle(name, phrase));
    if (plain.length > 0) result.push({ name, phrases: plain });
    if (guarded.length > 0) result.push({ name, phrases: guarded, capitalised: true });
  };
  const open = (name: string, ...lists: (readonly string[])[]) => add(name, lists.flat(), heldOut);
  const closed = (name: string, ...lists: (readonly string[])[]) => add(name, lists.flat(), heldOut / 3);

  open('first_name', locale.firstNames, lists.get('first_name'));
  open('last_name', locale.lastNames, lists.get('last_name'));
  open('famous_person', lists.get('person'), locale.authors);
  open('city', lists.get('city'));
  open('small_city', locale.usCities, locale.worldCities);
  closed('country', lists.get('country'), locale.formalCountries);
  closed('state', lists.get('state'), locale.states);
  closed('region', lists.get('region'), locale.counties);
  open('landform', lists.get('landform'));
  open('street', locale.streets);
  open('company', lists.get('company'), locale.publishers);
  open('organization', lists.get('organization'));
  open('sports_team', lists.get('sports_team'));
  open('facility', lists.get('facility'), locale.airports);
  closed('airline', lists.get('airline'), locale.airlines);
  closed('nationality', lists.get('nationality'), lists.get('nationality-plural'));
  closed('language', lists.get('language'), locale.languages);
  closed('religion', lists.get('religion'), lists.get('religion-adjective'));
  closed('currency', lists.get('currency'), locale.currencies, locale.currencyCodes);
  open('job_title', lists.get('job_title'));
  closed('department', lists.get('department'));
  open('product', lists.get('product'));
  open('goods', lists.get('goods'));
  open('software', lists.get('software'), locale.appNames);
  open('game', lists.get('game'));
  open('vehicle', lists.get('vehicle'), locale.airplanes, locale.manufacturers);
  open('event', lists.get('event'));
  open('award', lists.get('award'));
  closed('sport', lists.get('sport'));
  closed('food', lists.get('food'), locale.dishes, locale.ingredients);
  closed('cuisine', lists.get('cuisine'), locale.cuisines);
  closed('animal', lists.get('animal'), locale.species);
  closed('color', lists.get('color'), locale.colors);
  open('song', lists.get('song'), locale.songs);
  open('artist', lists.get('artist'), locale.artists);
  open('album', lists.get('album'), locale.albums);
  open('music_genre', lists.get('music_genre'), locale.musicGenres);
  open('book', lists.get('book'), locale.books);
  open('movie', lists.get('movie'));
  open('tv_show', lists.get('tv_show'));
  open('chemical', lists.get('chemical'), locale.elements);
  open('drug', lists.get('drug'));
  open('disease', lists.get('disease'));

  for (const [name, phrases] of wordClasses(lists)) result.push({ name, phrases });
  return result;
}

/** Small closed classes: parts of names and of expressions. Nothing of them is held out. */
function wordClasses(lists: WordLists): [string, readonly string[]][] {
  const { locale } = lists;
  return [
    ['company_suffix', lists.get('company-suffix')],
    ['company_word', lists.get('company-word')],
    ['team_word', lists.get('team-word')],
    ['restaurant_word', lists.get('restaurant-head')],
    ['field', lists.get('field')],
    ['street_word', ['Street', 'St', 'St.', 'Avenue', 'Ave', 'Ave.', 'Road', 'Rd', 'Rd.', 'Lane', 'Drive', 'Boulevard', 'Blvd', 'Court', 'Place', 'Square', 'Way', 'Terrace', 'Close', 'Crescent', 'Highway', 'Rue', 'Calle', 'Via', 'Avenida', 'Piazza', 'Strasse', ...locale.streetSuffixes]],
    ['facility_word', ['airport', 'station', 'terminal', 'hospital', 'clinic', 'church', 'cathedral', 'stadium', 'arena', 'park', 'zoo', 'museum', 'gallery', 'library', 'theatre', 'theater', 'opera house', 'hall', 'castle', 'palace', 'abbey', 'bridge', 'tunnel', 'tower', 'square', 'mall', 'plaza', 'hotel', 'inn', 'resort', 'prison', 'power plant', 'harbor', 'harbour', 'port', 'dam', 'center', 'centre', 'gardens', 'cemetery', 'market', 'mosque', 'temple', 'synagogue', 'monastery', 'memorial', 'airfield', 'air base', 'fort', 'barracks', 'observatory', 'aquarium', 'speedway', 'gate', 'room', 'building', 'platform', 'warehouse', 'parliament', 'school', 'pier', 'monument', 'fountain', 'basilica', 'restaurant', 'cafe']],
    ['organization_word', ['university', 'college', 'school', 'institute', 'academy', 'police', 'council', 'court', 'ministry', 'department', 'agency', 'commission', 'committee', 'association', 'federation', 'union', 'party', 'parliament', 'foundation', 'society', 'army', 'front', 'bank', 'organization', 'organisation', 'authority', 'bureau', 'board', 'league', 'movement', 'alliance', 'coalition', 'congress', 'senate', 'assembly', 'office', 'service', 'forces', 'corps', 'trust', 'fund', 'church', 'orchestra', 'philharmonic', 'club', 'center', 'centre', 'group', 'museum', 'hospital']],
    ['landform_word', ['mount', 'mt', 'mountain', 'mountains', 'river', 'lake', 'creek', 'bay', 'island', 'islands', 'valley', 'canyon', 'falls', 'forest', 'beach', 'peak', 'glacier', 'desert', 'cape', 'hills', 'ridge', 'gulf', 'strait', 'sea', 'ocean', 'isle', 'lagoon', 'volcano', 'peninsula', 'coast', 'reef', 'loch', 'waterfall', 'delta', 'plateau']],
    ['event_word', ['cup', 'open', 'championship', 'championships', 'league', 'games', 'olympics', 'festival', 'marathon', 'grand prix', 'conference', 'summit', 'war', 'battle', 'revolution', 'hurricane', 'storm', 'typhoon', 'day', 'eve', 'week', 'awards', 'fair', 'expo', 'show', 'tournament', 'masters', 'classic', 'final', 'finals', 'derby', 'carnival', 'parade', 'election', 'elections', 'crisis', 'attacks', 'earthquake', 'treaty', 'trophy']],
    ['award_word', ['prize', 'award', 'medal', 'trophy', 'oscar', 'grammy', 'emmy', 'awards']],
    ['title', ['Mr', 'Mr.', 'Mrs', 'Mrs.', 'Ms', 'Ms.', 'Miss', 'Dr', 'Dr.', 'Prof', 'Prof.', 'Professor', 'Sir', 'Lord', 'Lady', 'Sen.', 'Rep.', 'Gov.', 'Gen.', 'Col.', 'Capt.', 'Sgt.', 'Lt.', 'Rev.', 'Father', 'Sister', 'Brother', 'Saint', 'Judge', 'Justice', 'Captain', 'General', 'Colonel', 'Major', 'Sergeant', 'President', 'Senator', 'King', 'Queen', 'Prince', 'Princess', 'Pope', 'Uncle', 'Aunt', 'Grandma', 'Grandpa', 'Doctor', 'Detective', 'Officer', 'Coach']],
    ['kin', ['mother', 'father', 'mom', 'mum', 'dad', 'brother', 'sister', 'son', 'daughter', 'uncle', 'aunt', 'cousin', 'wife', 'husband', 'grandmother', 'grandfather', 'grandma', 'grandpa', 'friend', 'nephew', 'niece', 'neighbour', 'neighbor', 'roommate', 'boss', 'colleague', 'girlfriend', 'boyfriend', 'fiance', 'partner', 'baby', 'kid', 'kids', 'twins', 'parents', 'girl', 'boy', 'man', 'woman']],
    ['weekday', [...weekdays, 'Mon', 'Tue', 'Tues', 'Wed', 'Thu', 'Thurs', 'Fri', 'Sat', 'Sun', 'weekend', 'weekends', 'weekday', 'weekdays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays']],
    ['month', [...months.filter((m) => m !== 'May' && m !== 'March'), 'Jan', 'Feb', 'Mar', 'Apr', 'Jun', 'Jul', 'Aug', 'Sep', 'Sept', 'Oct', 'Nov', 'Dec', 'Jan.', 'Feb.', 'Aug.', 'Sept.', 'Oct.', 'Nov.', 'Dec.']],
    ['season', ['spring', 'summer', 'autumn', 'fall', 'winter']],
    ['day_word', ['today', 'yesterday', 'tomorrow', 'day after tomorrow', 'day before yesterday']],
    ['part_of_day', ['morning', 'afternoon', 'evening', 'night', 'noon', 'midnight', 'midday', 'dawn', 'dusk', 'sunset', 'sunrise', 'tonight', 'lunchtime', "o'clock", 'am', 'pm', 'a.m.', 'p.m.', 'GMT', 'UTC', 'EST', 'PST', 'CET']],
    ['time_unit', ['second', 'seconds', 'sec', 'secs', 'minute', 'minutes', 'min', 'mins', 'hour', 'hours', 'hr', 'hrs', 'day', 'days', 'week', 'weeks', 'fortnight', 'month', 'months', 'year', 'years', 'yrs', 'decade', 'decades', 'century', 'centuries', 'night', 'nights', 'quarter', 'quarters']],
    ['unit', ['kg', 'g', 'mg', 'lb', 'lbs', 'oz', 'kilogram', 'kilograms', 'kilo', 'kilos', 'gram', 'grams', 'pound', 'pounds', 'ounce', 'ounces', 'ton', 'tons', 'tonne', 'tonnes', 'litre', 'litres', 'liter', 'liters', 'ml', 'millilitres', 'gallon', 'gallons', 'pint', 'pints', 'quart', 'quarts', 'cup', 'cups', 'tablespoon', 'tablespoons', 'tbsp', 'teaspoon', 'teaspoons', 'tsp', 'metre', 'metres', 'meter', 'meters', 'kilometre', 'kilometres', 'kilometer', 'kilometers', 'km', 'cm', 'mm', 'mile', 'miles', 'mph', 'km/h', 'yard', 'yards', 'foot', 'feet', 'ft', 'inch', 'inches', 'centimetres', 'centimeters', 'millimetres', 'acre', 'acres', 'hectare', 'hectares', 'square metres', 'square feet', 'square kilometres', 'square miles', 'cubic metres', 'degrees', 'degree', 'celsius', 'fahrenheit', 'watt', 'watts', 'kilowatts', 'megawatts', 'volt', 'volts', 'gb', 'mb', 'tb', 'kb', 'megabytes', 'gigabytes', 'terabytes', 'barrels', 'bushels', 'calories', 'mmhg', 'ppm', 'mcg', 'units', 'slices', 'cloves', 'pinch', 'dozen', 'spoonful', 'handful', 'bottle', 'bottles', 'cans', 'light years', 'knots', 'milligrams', 'micrograms', 'mah', 'khz', 'ghz', 'hz', 'kwh', 'mw']],
    ['money_unit', ['dollar', 'dollars', 'euro', 'euros', 'pound', 'pounds', 'yen', 'rupees', 'rupee', 'francs', 'franc', 'pesos', 'peso', 'rubles', 'roubles', 'yuan', 'rand', 'shillings', 'marks', 'lire', 'crowns', 'cents', 'cent', 'pence', 'bucks', 'quid', 'dirhams', 'won', 'baht', 'zloty', 'zlotys', 'USD', 'EUR', 'GBP', 'CHF', 'JPY', 'CAD', 'AUD', 'SEK', 'NOK', 'DKK', 'PLN', 'INR', 'CNY', 'ZAR', 'BRL', 'MXN', 'TRY', 'KES', 'NGN', 'AED', 'SGD', 'US$', 'C$', 'A$', 'HK$', 'R$', 'bitcoin', 'bitcoins', 'ether', 'kr', 'kroner', 'kronor']],
    ['number_word', ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety', 'hundred', 'hundreds', 'thousand', 'thousands', 'dozen', 'dozens', 'half', 'couple', 'several', 'few', 'twenty-one', 'twenty-five', 'thirty-five', 'forty-five', 'fifty-five']],
    ['magnitude', ['hundred', 'thousand', 'million', 'millions', 'billion', 'billions', 'trillion', 'bn', 'm', 'k']],
    ['ordinal', ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', '1st', '2nd', '3rd', '4th']],
    ['percent_word', ['percent', 'per cent', '%', 'percentage points', 'percentage point', 'pct']],
    ['common', [...lists.get('function-words'), ...inflected(locale.nouns, locale.verbs), ...locale.adjectives, ...locale.adverbs]],
  ]; // prettier-ignore
}

function* commonWords(lists: WordLists): Generator<string> {
  const { locale } = lists;
  yield* lists.get('everyday-words');
  yield* lists.get('function-words');
  yield* inflected(locale.nouns, locale.verbs);
  yield* locale.adjectives;
  yield* locale.adverbs;
  yield* lists.get('goods');
}

function inflected(nouns: readonly string[], verbs: readonly string[]): string[] {
  return [
    ...nouns.flatMap((noun) => [noun, plural(noun)]),
    ...verbs.flatMap((verb) => {
      const stem = verb.replace(/e$/, '');
      return [verb, plural(verb), `${stem}ed`, `${stem}ing`];
    }),
  ];
}

/** True when a phrase with capitals consists of everyday words. */
function isCommon(phrase: string, common: ReadonlySet<string>): boolean {
  if (phrase === phrase.toLowerCase()) return false;
  return phrase
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .every((word) => word === '' || common.has(word) || /^\d+$/.test(word));
}

const works: ReadonlySet<string> = new Set(['song', 'album', 'book', 'movie', 'tv_show']);

/** Works with a title of one word: in lower case it is nearly always just the word. */
function isShortTitle(className: string, phrase: string): boolean {
  return works.has(className) && !phrase.includes(' ');
}
