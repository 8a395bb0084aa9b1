import { compared, figuresOf } from './agreement.js';
import { textOfRow, type Row } from './row.js';
import { rowsFor, type Person, type Team } from './share.js';

/** What a person has saved. */
export interface Pass {
  readonly person: Person;
  readonly rows: readonly Row[];
}

export interface Progress {
  readonly person: Person;
  readonly assigned: number;
  /** Of those assigned. */
  readonly saved: number;
  /** Texts that another person labelled too, and those of them that both labelled alike. */
  readonly twice: number;
  readonly alike: number;
  /** Cohen's, of the classes, over the texts labelled twice; null if there is none. */
  readonly kappa: number | null;
}

/** How far each person has come with their rows, and how far they agree with the others. */
export function progressOf(rows: readonly Row[], team: Team, passes: readonly Pass[]): readonly Progress[] {
  return passes.map(({ person, rows: own }) => {
    const assigned = rowsFor(person.email, rows.length, team);
    const saved = new Set(own.map(textOfRow));
    const pairs = passes.flatMap((other) => (other.person === person ? [] : compared(own, other.rows)));
    const { agreed, kappa } = figuresOf(pairs);
    return {
      ...{ person, assigned: assigned.length, twice: pairs.length, alike: agreed, kappa },
      saved: assigned.filter((row) => saved.has(textOfRow(rows[row]!))).length,
    };
  });
}
