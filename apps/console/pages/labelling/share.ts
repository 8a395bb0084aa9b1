/** Who labels a dataset, as its address names them: `people=ada@x.org:2,bo@x.org&twice=10`. */
export interface Team {
  readonly people: readonly Person[];
  /** Share of the rows that a second person labels as well, so that their agreement is known; 0 to 1. */
  readonly twice: number;
}

export interface Person {
  readonly email: string;
  /** How much of the rows, beside the others' weights. */
  readonly weight: number;
}

/** @param people e-mail addresses between commas or in lines, each with a weight after a colon or without */
export function teamOf(people: string, twice: string): Team {
  const named = people.split(/[\s,;]+/).flatMap((part): Person[] => {
    const [, email = '', weight = '1'] = /^([^:]+)(?::(\d+(?:\.\d+)?))?$/.exec(part) ?? [];
    return email === '' || Number(weight) === 0 ? [] : [{ email: email.toLowerCase(), weight: Number(weight) }];
  });
  const known = new Map(named.map((person) => [person.email, person]));
  const percent = Number(twice);
  return { people: [...known.values()], twice: percent > 0 && percent <= 100 ? percent / 100 : 0 };
}

/** A team as the parameter `people` of the address. */
export const peopleIn = ({ people }: Team): string =>
  people.map(({ email, weight }) => (weight === 1 ? email : `${email}:${weight}`)).join(',');

/** Its multiples, modulo 1, are spread evenly whatever the number of rows. https://oeis.org/A002193 */
const SPREAD = Math.SQRT2 - 1;

/**
 * The people who label each row: the one who is furthest behind their share, and for some rows the next one of the team
 * besides.
 */
export function labellersOf(rows: number, { people, twice }: Team): readonly (readonly Person[])[] {
  const all = people.reduce((sum, { weight }) => sum + weight, 0);
  const given = people.map(() => 0);
  return Array.from({ length: rows }, (_, row) => {
    const behind = people.map(({ weight }, index) => ((row + 1) * weight) / all - given[index]!);
    const first = behind.indexOf(Math.max(...behind));
    given[first]! += 1;
    const isTwice = people.length > 1 && (row * SPREAD) % 1 < twice;
    return isTwice ? [people[first]!, people[(first + 1) % people.length]!] : [people[first]!];
  });
}

/** The rows of a person, by their indexes; all for a team of nobody. */
export function rowsFor(email: string, rows: number, team: Team): readonly number[] {
  const all = Array.from({ length: rows }, (_, row) => row);
  if (team.people.length === 0) return all;
  const by = labellersOf(rows, team);
  return all.filter((row) => by[row]!.some((person) => person.email === email.toLowerCase()));
}

/** The dataset in which a person's labels of another one are saved. */
export const passOf = (dataset: string, email: string): string =>
  `${dataset}-${email
    .split('@')[0]!
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')}`;

/** A person's part in words: `50% of the rows`. */
export function shareOf({ weight }: Person, { people }: Team): string {
  const all = people.reduce((sum, each) => sum + each.weight, 0);
  return `${Math.round((100 * weight) / all)}%`;
}
