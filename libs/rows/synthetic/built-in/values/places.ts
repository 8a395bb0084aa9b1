import { items } from '../../templates/template.js';
import { between, chance, faker, filled, pick } from '../draw.js';

/** A city with the region and country around it. */
export interface Place {
  readonly city: string;
  readonly country: string;
  /** A state or province, where letters and addresses name it; else null. */
  readonly state: string | null;
  readonly code: string | null;
}

/** `city[/state/code]`, by country. */
const CITIES: Readonly<Record<string, string>> = {
  'United States':
    'Chicago/Illinois/IL;Houston/Texas/TX;Phoenix/Arizona/AZ;Philadelphia/Pennsylvania/PA;San Diego/California/CA;San Jose/California/CA;Los Angeles/California/CA;San Francisco/California/CA;Seattle/Washington/WA;Denver/Colorado/CO;Boston/Massachusetts/MA;Nashville/Tennessee/TN;Portland/Oregon/OR;Las Vegas/Nevada/NV;Detroit/Michigan/MI;Memphis/Tennessee/TN;Baltimore/Maryland/MD;Milwaukee/Wisconsin/WI;Albuquerque/New Mexico/NM;Tucson/Arizona/AZ;Sacramento/California/CA;Kansas City/Missouri/MO;Atlanta/Georgia/GA;Miami/Florida/FL;Tampa/Florida/FL;Orlando/Florida/FL;Minneapolis/Minnesota/MN;Cleveland/Ohio/OH;Columbus/Ohio/OH;Cincinnati/Ohio/OH;Pittsburgh/Pennsylvania/PA;New Orleans/Louisiana/LA;Salt Lake City/Utah/UT;Omaha/Nebraska/NE;Boise/Idaho/ID;Honolulu/Hawaii/HI;Anchorage/Alaska/AK;Des Moines/Iowa/IA;Richmond/Virginia/VA;Charlotte/North Carolina/NC;Raleigh/North Carolina/NC;Buffalo/New York/NY;Rochester/New York/NY;Spokane/Washington/WA;Tulsa/Oklahoma/OK;Wichita/Kansas/KS',
  Canada:
    'Toronto/Ontario/ON;Ottawa/Ontario/ON;Montreal/Quebec/QC;Vancouver/British Columbia/BC;Calgary/Alberta/AB;Edmonton/Alberta/AB;Winnipeg/Manitoba/MB;Halifax/Nova Scotia/NS',
  'United Kingdom':
    'London;Manchester;Birmingham;Leeds;Glasgow;Edinburgh;Liverpool;Bristol;Cardiff;Belfast;Sheffield;Newcastle;Nottingham;Brighton;Cambridge;Oxford;York;Aberdeen',
  Ireland: 'Dublin;Cork;Galway;Limerick',
  Germany: 'Berlin;Hamburg;Munich;Cologne;Frankfurt;Stuttgart;Leipzig;Dresden;Hanover;Bremen;Heidelberg',
  France: 'Paris;Lyon;Marseille;Toulouse;Nice;Nantes;Strasbourg;Bordeaux;Lille',
  Spain: 'Madrid;Barcelona;Valencia;Seville;Bilbao;Málaga;Granada',
  Italy: 'Rome;Milan;Naples;Turin;Bologna;Florence;Venice;Palermo',
  Portugal: 'Lisbon;Porto;Braga',
  Netherlands: 'Amsterdam;Rotterdam;Utrecht;Eindhoven',
  Belgium: 'Brussels;Antwerp;Ghent',
  Switzerland: 'Zurich;Geneva;Basel;Bern',
  Austria: 'Vienna;Salzburg;Graz;Innsbruck',
  Sweden: 'Stockholm;Gothenburg;Malmö',
  Norway: 'Oslo;Bergen;Trondheim',
  Denmark: 'Copenhagen;Aarhus;Odense',
  Finland: 'Helsinki;Tampere;Turku',
  Poland: 'Warsaw;Kraków;Gdańsk;Wrocław',
  Greece: 'Athens;Thessaloniki',
  Hungary: 'Budapest;Szeged',
  Romania: 'Bucharest;Cluj-Napoca',
  Ukraine: 'Kyiv;Lviv;Odesa',
  Japan: 'Tokyo;Osaka;Kyoto;Sapporo;Fukuoka;Nagoya',
  'South Korea': 'Seoul;Busan;Incheon',
  China: 'Beijing;Shanghai;Shenzhen;Chengdu;Wuhan',
  India: 'Mumbai;Delhi;Bengaluru;Chennai;Hyderabad;Kolkata;Pune;Jaipur',
  Pakistan: 'Karachi;Lahore',
  Bangladesh: 'Dhaka',
  Vietnam: 'Hanoi;Da Nang',
  Thailand: 'Bangkok;Chiang Mai',
  Indonesia: 'Jakarta;Surabaya;Bandung',
  Malaysia: 'Kuala Lumpur;Penang',
  Philippines: 'Manila;Cebu',
  Australia:
    'Sydney/New South Wales/NSW;Melbourne/Victoria/VIC;Brisbane/Queensland/QLD;Perth/Western Australia/WA;Adelaide/South Australia/SA',
  'New Zealand': 'Auckland;Wellington;Christchurch',
  Brazil: 'São Paulo;Rio de Janeiro;Brasília;Curitiba;Recife',
  Argentina: 'Buenos Aires;Córdoba;Mendoza',
  Chile: 'Santiago;Valparaíso',
  Colombia: 'Bogotá;Medellín;Cali',
  Peru: 'Lima;Cusco',
  Mexico: 'Mexico City;Guadalajara;Monterrey;Puebla',
  Egypt: 'Cairo;Alexandria',
  Nigeria: 'Lagos;Abuja;Ibadan',
  Kenya: 'Nairobi;Mombasa',
  Ghana: 'Accra;Kumasi',
  Ethiopia: 'Addis Ababa',
  'South Africa': 'Johannesburg;Cape Town;Durban;Pretoria',
  Morocco: 'Casablanca;Marrakesh;Rabat',
  Turkey: 'Istanbul;Ankara;Izmir',
  Israel: 'Tel Aviv;Haifa',
  'Saudi Arabia': 'Riyadh;Jeddah',
  Qatar: 'Doha',
};

const PLACES: readonly Place[] = Object.entries(CITIES).flatMap(([country, cities]) =>
  cities.split(';').map((entry): Place => {
    const [city = '', state = null, code = null] = entry.split('/');
    return { city, country, state, code };
  }),
);
const WITH_STATE = PLACES.filter(({ state }) => state !== null);

const WITH_ARTICLE: ReadonlySet<string> = new Set(['United States', 'United Kingdom', 'Netherlands', 'Philippines']);

/** Countries whose names take no article. */
export const COUNTRIES = [
  ...Object.keys(CITIES).filter((country) => !WITH_ARTICLE.has(country)),
  'Iceland',
  'Estonia',
  'Latvia',
  'Lithuania',
  'Croatia',
  'Serbia',
  'Bulgaria',
  'Slovenia',
  'Bolivia',
  'Ecuador',
  'Uruguay',
  'Cuba',
  'Jamaica',
  'Costa Rica',
  'Guatemala',
  'Tanzania',
  'Uganda',
  'Rwanda',
  'Zambia',
  'Senegal',
  'Tunisia',
  'Algeria',
  'Iraq',
  'Nepal',
  'Sri Lanka',
  'Mongolia',
  'Kazakhstan',
  'Cambodia',
  'Laos',
];

export const place = (): Place => (chance(0.35) ? pick(WITH_STATE) : pick(PLACES));
export const placeWithState = (): Place => pick(WITH_STATE);

/** @param bare whose country is named without an article */
export const anotherPlace = (than: Place | null, bare = false): Place => {
  for (;;) {
    const other = place();
    if (other.city !== than?.city && !(bare && WITH_ARTICLE.has(other.country))) return other;
  }
};

export const postalCode = ({ country, code }: Place): string => {
  if (country === 'United Kingdom') return filled(pick(['@@# #@@', '@# #@@', '@## #@@', '@@## #@@']));
  if (country === 'Canada') return filled('@#@ #@#');
  if (country === 'Netherlands') return filled('#### @@').replace(/^0/, '1');
  if (country === 'United States' && code !== null) return String(between(10001, 99499));
  if (
    ['Austria', 'Belgium', 'Denmark', 'Norway', 'Australia', 'New Zealand', 'Switzerland', 'Hungary'].includes(country)
  )
    return String(between(1000, 9899));
  if (['India', 'China'].includes(country)) return String(between(110000, 799999));
  return String(between(10000, 98999));
};

const STREETS =
  'Maple;Oak;Cedar;Elm;Pine;Willow;Birch;Chestnut;Highland;Park;Church;Station;Mill;Bridge;River;Lake;Hill;Garden;Orchard;Meadow;Sunset;Spring;Victoria;Queen;King;Albert;Market;High;Main;Harbour;Rosewood;Ashford;Kensington;Franklin;Jefferson;Lincoln;Monroe;Prospect;Summit;Valley'.split(
    ';',
  );
const WAYS = items(
  'Street;Street;St;Road;Road;Rd;Avenue;Ave;Lane;Drive;Court;Place;Way;Close;Crescent;Boulevard;Terrace',
);

export function streetAddress({ country }: Place): string {
  const house = String(between(1, chance(0.8) ? 240 : 4800));
  const name = () => (chance(0.25) ? faker.person.lastName() : pick(STREETS));
  switch (country) {
    case 'Germany':
    case 'Austria':
      return `${pick(['Haupt', 'Bahnhof', 'Garten', 'Linden', 'Berg', 'Schiller', 'Goethe', 'Kirch', 'Ring', 'Rosen'])}${pick(['straße', 'straße', 'weg', 'allee'])} ${house}`;
    case 'France':
      return `${house} ${pick(['rue', 'avenue', 'boulevard'])} ${pick(['de la République', 'Victor Hugo', 'des Lilas', 'Jean Jaurès', 'de la Gare', 'Pasteur', 'des Écoles', 'Voltaire'])}`;
    case 'Spain':
      return `${pick(['Calle', 'Avenida', 'Paseo'])} ${pick(['Mayor', 'de Alcalá', 'del Prado', 'San Juan', 'Real', 'de la Paz', 'Serrano'])} ${house}`;
    case 'Italy':
      return `Via ${pick(['Roma', 'Garibaldi', 'Dante', 'Mazzini', 'Verdi', 'Cavour', 'Manzoni'])} ${house}`;
    default:
      return `${house} ${name()} ${pick(WAYS)}${chance(0.12) ? pick([`, Apt ${between(1, 60)}`, `, Suite ${between(100, 900)}`, `, Flat ${between(1, 30)}`, ` Apt. ${filled('#')}@`.replace('@', pick(['A', 'B', 'C']))]) : ''}`;
  }
}
