/** How many are kept. */
const KEPT = 10;

/** The last texts with one more in front. Those that it begins with were asked about while it was typed. */
export const withText = (texts: readonly string[], text: string): readonly string[] =>
  [text, ...texts.filter((each) => !text.startsWith(each))].slice(0, KEPT);
