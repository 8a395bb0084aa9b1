/** What the maker of a data folder saw: the file `facts.json` in it. */
export interface ReleaseFacts {
  /** An API key of the folder's only user. */
  readonly key: string;
  /** What the API answered, by path. */
  readonly answers: Readonly<Record<string, object>>;
}

/** What is asked of each folder. */
export const pathsOf = (job: string, calls: readonly string[]): readonly string[] => [
  '/felix/datasets/tickets/1',
  `/felix/training-jobs/${job}`,
  ...calls.flatMap((call) => [`/inferences/${call}`, `/inferences/${call}/feedback`]),
];
