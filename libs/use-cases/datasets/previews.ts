import { Injectable } from '@nestjs/common';
import { formatOfName } from '#rows/formats/index.js';
import { UnavailableError } from '#domain/errors.js';

/** A Parquet file must be complete before it can be read. */
const MAX_TABLE_BYTES = 128 * 1024 * 1024;
const MAX_MS = 60_000;
/** Limit on concurrent previews; each holds a process. */
const MAX_CONCURRENT = 4;

export const isTooLargeToPreview = (path: string, size: number): boolean =>
  formatOfName(path) === 'parquet' && size > MAX_TABLE_BYTES;

/** Work that shows the first rows of a file that is no version yet: a few at a time, for a minute at most. */
@Injectable()
export class Previews {
  private atWork = 0;

  /** @throws UnavailableError when too many are at work */
  async run<T>(preview: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    if (this.atWork >= MAX_CONCURRENT) throw new UnavailableError('too many previews at once; try again');
    this.atWork += 1;
    try {
      return await preview(AbortSignal.timeout(MAX_MS));
    } finally {
      this.atWork -= 1;
    }
  }
}
