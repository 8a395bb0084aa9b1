import {
  base,
  cs_CZ,
  da,
  de,
  de_AT,
  de_CH,
  en,
  en_AU,
  en_CA,
  en_GB,
  en_IN,
  en_NG,
  en_ZA,
  es,
  es_MX,
  fi,
  fr,
  hr,
  hu,
  id_ID,
  it,
  nb_NO,
  nl,
  pl,
  pt_BR,
  pt_PT,
  ro,
  sk,
  sv,
  tr,
  yo_NG,
  zu_ZA,
  type LocaleDefinition,
} from '@faker-js/faker';

/** Word lists taken from the locale definitions of @faker-js/faker (MIT). Nothing of faker is called: only its lists are read. */
export interface LocaleLexicons {
  readonly firstNames: readonly string[];
  readonly lastNames: readonly string[];
  readonly usCities: readonly string[];
  readonly worldCities: readonly string[];
  readonly formalCountries: readonly string[];
  readonly states: readonly string[];
  readonly counties: readonly string[];
  readonly streets: readonly string[];
  readonly streetSuffixes: readonly string[];
  readonly airlines: readonly string[];
  readonly airplanes: readonly string[];
  readonly airports: readonly string[];
  readonly species: readonly string[];
  readonly books: readonly string[];
  readonly authors: readonly string[];
  readonly publishers: readonly string[];
  readonly albums: readonly string[];
  readonly artists: readonly string[];
  readonly musicGenres: readonly string[];
  readonly songs: readonly string[];
  readonly dishes: readonly string[];
  readonly ingredients: readonly string[];
  readonly cuisines: readonly string[];
  readonly currencies: readonly string[];
  readonly currencyCodes: readonly string[];
  readonly languages: readonly string[];
  readonly elements: readonly string[];
  readonly jobDescriptors: readonly string[];
  readonly jobAreas: readonly string[];
  readonly jobTypes: readonly string[];
  readonly productAdjectives: readonly string[];
  readonly productMaterials: readonly string[];
  readonly productNouns: readonly string[];
  readonly appNames: readonly string[];
  readonly colors: readonly string[];
  readonly manufacturers: readonly string[];
  readonly vehicleModels: readonly string[];
  readonly fileExtensions: readonly string[];
  readonly directories: readonly string[];
  readonly nouns: readonly string[];
  readonly verbs: readonly string[];
  readonly adjectives: readonly string[];
  readonly adverbs: readonly string[];
}

/** Locales written in Latin letters whose names are used; English ones first, as most texts are. */
const nameLocales = [
  en_GB, en_IN, en_NG, en_ZA, de, fr, es, it, pt_BR, pt_PT, nl, pl, cs_CZ, sk, hu, hr, ro, sv, da, nb_NO, fi, tr, id_ID, yo_NG, zu_ZA, de_CH,
]; // prettier-ignore
const cityLocales = [
  de, de_AT, de_CH, fr, es, es_MX, it, pt_PT, pl, cs_CZ, hu, hr, ro, da, fi, tr, id_ID, en_CA, en_IN, en_NG, sk,
]; // prettier-ignore

/** Reads the lists; the same version of faker gives the same lists. */
export function localeLexicons(): LocaleLexicons {
  const { animal, music, food, commerce, location, word } = en;
  return {
    firstNames: unique([
      ...people(en, 'first_name'),
      ...nameLocales.flatMap((l) => thinned(people(l, 'first_name'), 150)),
    ]),
    lastNames: unique([
      ...people(en, 'last_name'),
      ...nameLocales.flatMap((l) => thinned(people(l, 'last_name'), 150)),
    ]),
    usCities: strings(location?.city_name),
    worldCities: unique(cityLocales.flatMap((l) => thinned(strings(l.location?.city_name), 80))),
    formalCountries: strings(location?.country),
    states: unique([
      ...strings(location?.state),
      ...strings(en_AU.location?.state),
      ...strings(en_CA.location?.state),
      ...strings(de.location?.state),
    ]),
    counties: unique([...strings(location?.county), ...strings(en_GB.location?.county)]),
    streets: unique([...strings(location?.street_name), ...thinned(strings(de.location?.street_name), 60)]),
    streetSuffixes: strings(location?.street_suffix),
    airlines: names(en.airline?.airline),
    airplanes: names(en.airline?.airplane),
    airports: names(en.airline?.airport),
    species: unique(
      [
        animal?.bird,
        animal?.cat,
        animal?.cow,
        animal?.dog,
        animal?.fish,
        animal?.horse,
        animal?.snake,
        animal?.bear,
        animal?.cetacean,
      ].flatMap((list) => thinned(strings(list), 60)),
    ),
    books: strings(en.book?.title),
    authors: strings(en.book?.author),
    publishers: strings(en.book?.publisher),
    albums: strings(music?.album),
    artists: strings(music?.artist),
    musicGenres: strings(music?.genre),
    songs: strings(music?.song_name),
    dishes: strings(food?.dish),
    ingredients: unique([
      ...strings(food?.ingredient),
      ...strings(food?.fruit),
      ...strings(food?.vegetable),
      ...strings(food?.meat),
      ...strings(food?.spice),
    ]),
    cuisines: strings(food?.ethnic_category),
    currencies: names(en.finance?.currency),
    currencyCodes: keyed(en.finance?.currency, 'code'),
    languages: names(location?.language),
    elements: names(en.science?.chemical_element).map((name) => name.toLowerCase()),
    jobDescriptors: strings(en.person?.job_descriptor),
    jobAreas: strings(en.person?.job_area),
    jobTypes: strings(en.person?.job_type),
    productAdjectives: strings(commerce?.product_name?.adjective),
    productMaterials: strings(commerce?.product_name?.material),
    productNouns: strings(commerce?.product_name?.product),
    appNames: strings(en['app']?.['name']),
    colors: strings(en.color?.human),
    manufacturers: strings(en.vehicle?.manufacturer),
    vehicleModels: strings(en.vehicle?.model),
    fileExtensions: fileExtensions(),
    directories: strings(base.system?.directory_path),
    nouns: lowerCase(word?.noun),
    verbs: lowerCase(word?.verb),
    adjectives: lowerCase(word?.adjective),
    adverbs: lowerCase(word?.adverb),
  };
}

function people(locale: LocaleDefinition, key: 'first_name' | 'last_name'): string[] {
  const names = locale.person?.[key];
  return names ? unique([names.generic, names.female, names.male].flatMap(strings)) : [];
}

function fileExtensions(): string[] {
  const types: Readonly<Record<string, { readonly extensions?: readonly string[] }>> = base.system?.mime_type ?? {};
  return unique(Object.values(types).flatMap(({ extensions }) => extensions ?? []));
}

/** Every k-th item, so that at most `count` remain and the alphabet is covered evenly. */
function thinned(items: readonly string[], count: number): string[] {
  const step = Math.max(1, items.length / count);
  return Array.from({ length: Math.min(count, items.length) }, (_, i) => items[Math.floor(i * step)]!);
}

function strings(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}

function lowerCase(list: unknown): string[] {
  return strings(list).filter((word) => /^[a-z]+$/.test(word));
}

function names(list: unknown): string[] {
  return keyed(list, 'name');
}

function keyed(list: unknown, key: string): string[] {
  if (!Array.isArray(list)) return [];
  return unique(
    list.map((item: Readonly<Record<string, unknown>>) => item[key]).filter((v): v is string => typeof v === 'string'),
  );
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}
