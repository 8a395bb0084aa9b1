/**
 * A text in a composed normal form. Runs of more than 30 combining marks are not ordered beyond them (the "stream-safe" limit of
 * UAX #15): ordering takes the square of a run's length, minutes for half a million.
 */
export function composed(text: string, form: 'NFC' | 'NFKC' = 'NFC'): string {
  if (text.length <= MAX_MARKS || !LONG_RUN.test(text)) return text.normalize(form);
  return text
    .split(AFTER_LONG_RUN)
    .map((part) => part.normalize(form))
    .join('');
}

const MAX_MARKS = 30;
const LONG_RUN = new RegExp(String.raw`\p{M}{${MAX_MARKS + 1}}`, 'u');
const AFTER_LONG_RUN = new RegExp(String.raw`(?<=\p{M}{${MAX_MARKS}})(?=\p{M})`, 'u');
