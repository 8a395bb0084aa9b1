/**
 * Rows for the quick engine, as JSONL: a training on any of them waits before the epoch until the file exists.
 * Their texts differ, so that some are trained on however the rows are split.
 */
export function waitingRows(epoch: number, file: string, count = 12): string {
  return Array.from({ length: count }, (_, row) => {
    const text = `wait ${epoch} ${file} row ${row}`;
    return `${JSON.stringify({ text, entities: [['wait', 'order']], label: row % 2 ? 'even' : 'odd' })}\n`;
  }).join('');
}

/** A file that no test creates: a training that waits for it runs until it is stopped. */
export const NO_FILE = '/no/such/file';
