import type { Random } from '#gpu-runner/engines/builtin/random.js';
import { capitalised, pick, weighted } from './choice.js';

/** Names nobody has: what the model must recognise by shape and company, not by heart. */

const onsets = ['b', 'br', 'c', 'ch', 'cl', 'cr', 'd', 'dr', 'f', 'fl', 'g', 'gr', 'h', 'j', 'k', 'kr', 'l', 'm', 'n', 'p', 'pr', 'qu', 'r', 's', 'sh', 'sk', 'st', 't', 'th', 'tr', 'v', 'w', 'z', '']; // prettier-ignore
const vowels = ['a', 'e', 'i', 'o', 'u', 'a', 'e', 'o', 'ai', 'ea', 'ia', 'io', 'ou', 'ee', 'au', 'y'];
const codas = ['', '', '', 'n', 'r', 'l', 's', 'm', 't', 'k', 'x', 'nd', 'rt', 'ng', 'ck', 'st', 'll', 'ss', 'rn'];
const placeEndings = ['ton', 'ville', 'burg', 'ford', 'field', 'ham', 'stad', 'dorf', 'berg', 'wick', 'port', 'mouth', 'haven', 'bury', 'land', 'grad', 'pur', 'abad', 'ino', 'ovo', 'sk', 'heim', 'by', 'stead', 'borough', 'dale', 'ia', 'co', 'zhou', 'jima', 'poli', 'ara', 'ona', 'ec', 'ow']; // prettier-ignore
const nameEndings = ['son', 'sen', 'man', 'mann', 'berg', 'stein', 'ski', 'sky', 'ov', 'ova', 'ev', 'in', 'ina', 'ic', 'vic', 'escu', 'ez', 'es', 'i', 'ini', 'etti', 'o', 'ell', 'er', 'ley', 'ton', 'ford', 'wood', 'akis', 'opoulos', 'ian', 'yan', 'enko', 'chuk', 'oglu', 'wala', 'kar', 'moto', 'naka', 'awa', 'idze', 'aitis', 'quist', 'strom', 'lund', 'dottir', 'eaux', 'ard', 'ier']; // prettier-ignore
const brandEndings = ['ix', 'ex', 'on', 'ia', 'eo', 'ify', 'ly', 'io', 'us', 'is', 'tech', 'soft', 'net', 'corp', 'gen', 'tron', 'ware', 'co', 'labs', 'a', 'o', 'ora', 'ent', 'ium', 'ex', 'hub', 'kit', 'bit', 'box', 'link', 'flow', 'nova']; // prettier-ignore
const drugEndings = ['mab', 'tinib', 'pril', 'sartan', 'statin', 'olol', 'azole', 'cillin', 'mycin', 'vir', 'pam', 'lam', 'zine', 'pine', 'done', 'formin', 'gliptin', 'oxetine', 'cycline', 'ine', 'ol', 'ide', 'ate']; // prettier-ignore
const chemicalEndings = ['ane', 'ene', 'yne', 'anol', 'ol', 'one', 'ide', 'ate', 'ite', 'ium', 'ic acid', 'amine', 'oxide', 'ose', 'ylene']; // prettier-ignore

function syllable(random: Random): string {
  return pick(random, onsets) + pick(random, vowels) + pick(random, codas);
}

function stem(random: Random): string {
  return random.next() < 0.6 ? syllable(random) : syllable(random) + syllable(random);
}

/** @returns one capitalised word of two or three syllables */
export function inventedWord(random: Random): string {
  return capitalised(stem(random) + syllable(random));
}

export function inventedPlace(random: Random): string {
  return capitalised(stem(random) + pick(random, placeEndings));
}

export function inventedFamilyName(random: Random): string {
  return capitalised(stem(random) + pick(random, nameEndings));
}

export function inventedBrand(random: Random): string {
  return weighted(random, [
    [4, () => capitalised(stem(random) + pick(random, brandEndings))],
    [1, () => capitalised(syllable(random)) + capitalised(syllable(random) + pick(random, brandEndings))],
    [1, () => Array.from({ length: 3 }, () => String.fromCharCode(65 + random.below(26))).join('')],
    [1, () => inventedWord(random)],
  ])();
}

export function inventedDrug(random: Random): string {
  const name = stem(random) + pick(random, drugEndings);
  return random.next() < 0.7 ? name : capitalised(name);
}

export function inventedChemical(random: Random): string {
  return (
    pick(random, ['', '', 'methyl ', 'sodium ', 'potassium ', 'di', 'tri', 'ethyl ']) +
    stem(random) +
    pick(random, chemicalEndings)
  );
}
