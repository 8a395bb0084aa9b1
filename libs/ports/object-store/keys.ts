const WORD = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const LONGEST = 512;

/**
 * Keys are generated here, but one from an address is not: anything but plain words between slashes is refused, so that
 * no key leads out of its folder.
 */
export const isObjectKey = (key: string): boolean =>
  key.length <= LONGEST && key.split('/').every((word) => WORD.test(word));

/** @throws TypeError */
export function checkKey(key: string): void {
  if (!isObjectKey(key)) throw new TypeError(`not an object key: ${JSON.stringify(key.slice(0, LONGEST))}`);
}
