/** "Delivery-City" and "delivery city" are the same label. */
export function normalizeLabel(label: string): string {
  return label
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** The known label that is meant: the very same, or else the one that is equal without case and separators; null for none. */
export function matchLabel(label: string, known: readonly string[]): string | null {
  if (known.includes(label)) return label;
  const normal = normalizeLabel(label);
  return known.find((candidate) => normalizeLabel(candidate) === normal) ?? null;
}
