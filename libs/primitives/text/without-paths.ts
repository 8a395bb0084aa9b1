/** An absolute path of two words or more; excludes addresses (`https://a/b`) and relative names (`a/b`). */
const PATH = /(?<![\w.:/\\])(?:[A-Za-z]:)?(?:[\\/][^\s'"`:,;()<>\\/]+){2,}[\\/]?/g;

/** A message for people elsewhere: of each path of this machine the last word stays. */
export const withoutPaths = (message: string): string =>
  message.replaceAll(PATH, (path) => path.split(/[\\/]/).findLast((word) => word !== '') ?? '');
