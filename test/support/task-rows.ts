const TOPICS = {
  food: ['soup', 'bread', 'pizza', 'cake', 'salad', 'cheese'],
  travel: ['train', 'flight', 'hotel', 'ferry', 'tram', 'visa'],
  work: ['meeting', 'report', 'salary', 'office', 'deadline', 'shift'],
};
const TONES: readonly (readonly [string, readonly string[]])[] = [
  ['is lovely and great', ['glad']],
  ['is awful and broken', ['angry']],
  ['is due now at once', ['urgent']],
  ['is awful and due at once', ['angry', 'urgent']],
  ['is there', []],
];

export interface TaskRow {
  readonly text: string;
  readonly labels: { readonly topic?: string; readonly tone?: readonly string[] };
}

/** Rows of a task with one label and one with a list; some say nothing of one of them. */
export const taskRows = (): readonly TaskRow[] =>
  Object.entries(TOPICS).flatMap(([topic, words]) =>
    words.flatMap((word, at) =>
      TONES.map(([said, tone], nth): TaskRow => {
        const labels = (at + nth) % 7 === 0 ? { topic } : (at + nth) % 7 === 1 ? { tone } : { topic, tone };
        return { text: `the ${word} ${said}`, labels };
      }),
    ),
  );

export const asLines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
