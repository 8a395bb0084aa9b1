/** What a person sets of the console's look, each with its choices, the default first. This browser keeps them. */
export const LOOKS = {
  /** `system` follows the setting of the operating system. */
  theme: ['system', 'light', 'dark'],
  density: ['comfortable', 'compact'],
  /** The menu, on wide screens. */
  side: ['names', 'icons'],
} as const;

export type Look = keyof typeof LOOKS;

const storedAs = (look: Look): string => `anneal-${look}`;

export function lookOf(look: Look): string {
  const stored = localStorage.getItem(storedAs(look));
  const choices: readonly string[] = LOOKS[look];
  return choices.find((choice) => choice === stored) ?? choices[0]!;
}

/** Styles read the choice from <html>, which has no attribute for a default. */
function apply(look: Look, choice: string): void {
  if (choice === LOOKS[look][0]) delete document.documentElement.dataset[look];
  else document.documentElement.dataset[look] = choice;
}

export function changeLook(look: Look, choice: string): void {
  localStorage.setItem(storedAs(look), choice);
  apply(look, choice);
}

/** Before the first page is drawn. */
export const applyLooks = (): void => (Object.keys(LOOKS) as Look[]).forEach((look) => apply(look, lookOf(look)));
