import { labelWords, resolveLabel, singular } from './label-resolution.js';

/**
 * What a label is to the base model: a name of its types ("company", "corporation"); a narrower kind than its types, which it cannot
 * tell from their other members ("newspaper", whose type is every company); or none that it knows.
 */
export type LabelScope = 'type' | 'narrower' | 'unknown';

/**
 * Names of kinds that are narrower than the types they resolve to. Roles are absent ("sender", "delivery city"): what tells them apart
 * is the sentence rather than the thing, so that all members of the type remain the best answer.
 */
const NARROWER: ReadonlySet<string> = new Set(
  [
    'author; writer; director; actor; actress; politician; scientist; athlete; player; researcher; philosopher; celebrity',
    'bank; insurer; publisher; restaurant; cafe; bar; store; shop; newspaper; broadcaster; media outlet; studio; film studio',
    'record label; law firm; brand; ngo; government agency; ministry; university; college; school; educational institution',
    'academic institution; political party; politicalparty; union; charity; institute; research institute; court; police; military',
    'army; think tank; ancient city; building; landmark; airport; station; train station; stadium; venue; museum; hospital; hotel',
    'park; national park; bridge; monument; church; theater; theatre; cinema; castle; palace; tower; library; mountain; river; lake',
    'sea; ocean; island; volcano; desert; forest; valley; waterfall; canyon; beach; body of water; water body; mountain range',
    'festival; film festival; conference; competition; tournament; holiday; war; battle; championship; hurricane; storm; election',
    'natural disaster; league; exhibition; device; medical device; gadget; electronics; furniture; clothing; weapon; appliance',
    'instrument; musical instrument; toy; app; programming language; programlang; operating system; os; framework; database',
    'browser; social media platform; aircraft; ship; motorcycle; spacecraft; boat; discipline; metric; position; dish; ingredient',
    'drink; beverage; fruit; vegetable; dessert; meat; singer; band; musician; rapper; composer; musical artist; musicalartist',
    'film genre; literary genre; novel; magazine; journal article; poem; documentary; podcast; anime; sitcom; chemical compound',
    'chemicalcompound; chemical element; chemicalelement; element; mineral; gas; vaccine; symptom; injury; mammal; bird; fish',
    'insect; pet',
  ]
    .join('; ')
    .split('; '),
);

/** Names for whatever has no name among the other labels. */
const REST: ReadonlySet<string> = new Set(['misc', 'miscellaneous', 'other']);

const nameOf = (label: string): string => singular(labelWords(label)).join(' ');

export function scopeOf(label: string): LabelScope {
  if (resolveLabel(label).length === 0) return 'unknown';
  return NARROWER.has(nameOf(label)) ? 'narrower' : 'type';
}

/**
 * The labels of a request that types alone cannot answer: narrower ones and unknown ones, and beside them those that share types with
 * a narrower one ("person" beside "politician") or mean the rest.
 * @returns none if every label is a name of types
 */
export function labelsBeyondTypes(labels: readonly string[]): ReadonlySet<string> {
  const beyond = labels.filter((label) => scopeOf(label) !== 'type');
  if (beyond.length === 0) return new Set();
  const divided = new Set(beyond.flatMap(resolveLabel));
  const isShared = (label: string) => REST.has(nameOf(label)) || resolveLabel(label).some((type) => divided.has(type));
  return new Set(labels.filter((label) => scopeOf(label) !== 'type' || isShared(label)));
}
