import { readWordList, wordListNames } from '#primitives/text/lexicons/index.js';
import { localeLexicons, type LocaleLexicons } from './locale-lexicons.js';

/** The word lists of the build: the project's own (`libs/primitives/text/lexicons`) and those of the locale. */
export class WordLists {
  /** Nouns, verbs, adjectives and adverbs of the locale, without words that the project lists as entities. */
  readonly locale: LocaleLexicons;
  private readonly own = new Map<string, readonly string[]>();

  constructor() {
    for (const name of wordListNames()) this.own.set(name, readWordList(name));
    this.locale = this.withoutEntities(localeLexicons());
  }

  private withoutEntities(locale: LocaleLexicons): LocaleLexicons {
    const entities = new Set(commonNounLists.flatMap((name) => this.get(name)).concat(locale.ingredients));
    const plain = (words: readonly string[]) => words.filter((word) => !entities.has(word));
    const { nouns, verbs, adjectives, adverbs } = locale;
    const cities = new Set(this.get('city').filter((city) => !NAMES_OF_OTHERS.has(city)));
    const notCities = (names: readonly string[]) => names.filter((name) => !cities.has(name));
    return {
      ...locale,
      firstNames: notCities(locale.firstNames),
      lastNames: notCities(locale.lastNames),
      states: notCities(locale.states),
      nouns: plain(nouns),
      verbs: plain(verbs),
      adjectives: plain(adjectives),
      adverbs: plain(adverbs),
    };
  }

  /**
   * @param name of a file in `libs/primitives/text/lexicons`, or "locale." and the name of a list of the locale
   * @throws RangeError when there is no such list
   */
  get(name: string): readonly string[] {
    const list = name.startsWith('locale.')
      ? this.locale[name.slice('locale.'.length) as keyof LocaleLexicons]
      : this.own.get(name);
    if (list === undefined || list.length === 0) throw new RangeError(`There is no word list "${name}".`);
    return list;
  }
}

/** Cities whose names are as often those of people or states; any other is a city ("Paris", "Berlin"). */
const NAMES_OF_OTHERS = new Set([
  'Florence', 'Sofia', 'Alexandria', 'Austin', 'Columbus', 'Charlotte', 'Washington', 'Raleigh', 'Madison', 'Jackson', 'Savannah', 'Richmond', 'Victoria', 'Santiago', 'Rosario', 'Salvador', 'Darwin', 'New York',
]); // prettier-ignore

/** Lists of types whose members are common nouns or adjectives. */
const commonNounLists = [
  'animal', 'chemical', 'color', 'currency', 'department', 'disease', 'drug', 'food', 'goods', 'job_title', 'music_genre', 'sport',
]; // prettier-ignore
