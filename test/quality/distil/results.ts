import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export const TARGETS = [0.92, 0.95, 0.98] as const;

/** What the student answered live at one target. */
export interface LiveFigures {
  readonly target: number;
  /** Share of the calls that it was surest of out of fold; 0: no bound was shown. */
  readonly outOfFold: number;
  /** Whether the first live calls spoke against it, so that it answers nothing. */
  readonly isContradicted: boolean;
  /** Live calls that it answers, and how many of them as its teacher does, byte for byte. */
  readonly answered: number;
  readonly agreed: number;
  /** The same without the guard of texts unlike those learned. */
  readonly sure: number;
  readonly sureAgreed: number;
}

/** One draw of a case. */
export interface DrawResult {
  readonly case: string;
  readonly draw: number;
  /** Absent: by the code of the system, in the process of the command. */
  readonly isOverHttp?: true;
  readonly date: string;
  readonly recorded: number;
  /** Recorded calls that were learned from, without copies. */
  readonly learned: number | null;
  readonly live: number;
  /** Live texts that the guard sent to the teacher, by what made them unlike those learned. */
  readonly unlike: Readonly<Record<string, number>>;
  /** What became of the distillation, and why nothing was answered. */
  readonly status: string;
  readonly reason: string | null;
  /** Of the whole draw. */
  readonly seconds: number;
  readonly figures: readonly LiveFigures[];
}

/** The results of draws, in a file of the user's, a line of JSON each: an interrupted run goes on where it was. */
export class DrawResults {
  private readonly known: DrawResult[] = [];

  constructor(private readonly file: string) {
    if (!existsSync(file)) return;
    const lines = readFileSync(file, 'utf8').split('\n');
    this.known = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as DrawResult);
  }

  /** Those in the process of the command, by draw, ascending. */
  of(name: string): readonly DrawResult[] {
    const own = this.known.filter((each) => each.case === name && !each.isOverHttp);
    return own.sort((one, other) => one.draw - other.draw);
  }

  overHttp(name: string): readonly DrawResult[] {
    return this.known.filter((each) => each.case === name && each.isOverHttp);
  }

  add(result: DrawResult): void {
    appendFileSync(this.file, `${JSON.stringify(result)}\n`);
    this.known.push(result);
  }
}
