import { useMay } from '../api/permitted.js';
import { GROUPS, type Group } from '../pages.js';

/** The pages that the signed-in user's role has a use for, in the order of the menu. */
export function useOffered(): readonly Group[] {
  const may = useMay();
  return GROUPS.map(({ title, pages }) => ({ title, pages: pages.filter(({ sends }) => may(sends)) })).filter(
    ({ pages }) => pages.length > 0,
  );
}
