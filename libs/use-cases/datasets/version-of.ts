/** The reference in the form of dataset claims; absent or null means the newest ready version. */
export const versionOf = (reference: string | number | null | undefined): number | 'latest' =>
  reference === undefined || reference === null || reference === 'latest' ? 'latest' : Number(reference);
