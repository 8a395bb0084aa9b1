/**
 * Names of labels of all kinds. How near texts lie to any label at all differs from text to text and from set to set, so that no
 * cosine by itself separates right labels from wrong ones: a label must be nearer to a text than these are.
 */
export const USUAL_LABELS: readonly string[] = (
  'sports, politics, business, technology, health, travel, food, music, weather, education, science, law, finance, family, art, ' +
  'religion, history, gaming, fashion, animals, positive, negative, question, complaint, request, greeting, urgent, spam, shopping, ' +
  'home, cars, delivery, account, booking, film, books, price, quality, safety, environment'
).split(', ');

/** @returns the cosine that is `deviations` standard deviations above the mean of the usual labels' cosines */
export function aboveUsual(cosines: ArrayLike<number>, deviations: number): number {
  const values = Array.from(cosines);
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  const variance = values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length;
  return mean + deviations * Math.sqrt(variance);
}

/**
 * Estimates the cosine of the nearest of several labels when none of them fits: the more labels there are, the nearer
 * one of them is by chance. The highest of n normal deviates is about sqrt(2 ln n) standard deviations. Factors of .5
 * to 1.4 of that were tried on training rows of BANKING77 and SNIPS, each with rows of the other set and of WNUT-17 as
 * texts that no label fits.
 * @param cosines those of the usual labels to a text
 * @param labels number of labels that compete
 */
export const nearestByChance = (cosines: ArrayLike<number>, labels: number): number =>
  aboveUsual(cosines, Math.sqrt(2 * Math.log(labels + 1)));
