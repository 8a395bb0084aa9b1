import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Whether a path, which need not exist, leads into the folder. */
export function isInside(path: string, folder: string): boolean {
  const from = relative(real(folder), real(path));
  return !isAbsolute(from) && from.split(sep)[0] !== '..';
}

/** Without symbolic links, as far as the path exists. */
function real(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(real(parent), absolute.slice(parent.length));
  }
}
