/** The part of a list that begins after an entry, by the entry's id as the OpenAI API writes it. */
export interface EntriesAfter {
  /** Absent: from the first. */
  readonly after?: string;
  readonly limit: number;
}

export interface Entries<Entry> {
  readonly entries: readonly Entry[];
  readonly hasMore: boolean;
}
